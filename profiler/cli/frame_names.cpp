#include "profiler/cli/frame_names.h"

#include "profiler/trace/symbolize.h"

namespace zerostall::cli {
namespace {

void name_frame(NativeLine& frame, Symbolizer& symbolizer) {
  if (frame.module.empty()) return;
  const Module module{frame.module, frame.build_id};
  switch (symbolizer.state(module)) {
    case SymbolState::no_file:
      frame.why_not = "no such file here";
      return;
    case SymbolState::other_build:
      frame.why_not = "symbols of another build";
      return;
    case SymbolState::found:
      break;
  }
  const bool library = is_library_path(frame.module);
  for (const Symbol& symbol : symbolizer.symbols(module, frame.offset))
    frame.sources.push_back({symbol.function, symbol.file, symbol.line, library});
}

}  // namespace

void name_frames(std::vector<WaitStack>& stacks, const std::vector<std::filesystem::path>& symbols) {
  Symbolizer symbolizer(find_symbol_roots(symbols));
  for (WaitStack& stack : stacks)
    for (NativeLine& frame : stack.native) name_frame(frame, symbolizer);
}

}  // namespace zerostall::cli
