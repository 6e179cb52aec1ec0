#include "profiler/cli/frame_names.h"

#include <algorithm>

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

NamesForCauses::NamesForCauses(const std::vector<std::filesystem::path>& symbols)
    : symbolizer_(find_symbol_roots(symbols)) {}

FrameNames NamesForCauses::of(const RawTrace& trace) {
  FrameNames names;
  const auto& stacks = trace.stacks.stacks;
  if (std::any_of(stacks.begin(), stacks.end(), [](const auto& stack) { return !stack.second.python.empty(); }))
    return names;
  for (const auto& [id, stack] : stacks)
    for (const NativeFrame& frame : stack.native) {
      const auto module = trace.stacks.modules.find(frame.module);
      if (module == trace.stacks.modules.end() || is_machinery(module->second.path)) continue;
      const auto [at, is_new] = names.try_emplace({frame.module, frame.offset});
      if (!is_new || symbolizer_.state(module->second) != SymbolState::found) continue;
      for (const Symbol& symbol : symbolizer_.symbols(module->second, frame.offset))
        at->second.push_back(symbol.function);
    }
  return names;
}

}  // namespace zerostall::cli
