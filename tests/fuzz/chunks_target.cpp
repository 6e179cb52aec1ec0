// The importer of PyTorch profiler traces where a text is cut into chunks: with blanks in front of its events, so that
// a border falls into the midst of them, it must read as without. The first two bytes say where the border falls.
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>

#include "profiler/trace/import/kineto.h"
#include "whole_route.h"

namespace {

using Traces = zerostall::Result<std::vector<zerostall::RawTrace>>;

constexpr std::size_t kChunkBytes = std::size_t{1} << 20;  // as event_chunks.cpp has it

Traces parse(const std::string& text) {
  return zerostall::parse_kineto(std::as_bytes(std::span(text)), "fuzz", {.most_expanded = 1 << 22, .threads = 1});
}

void require_same(const char* what, bool same) {
  if (same) return;
  std::fprintf(stderr, "broken promise: %s do not depend on chunks\n", what);
  std::abort();
}

void compare(const Traces& whole, const Traces& cut) {
  require_same("errors", bool(whole) == bool(cut));
  if (!whole) return;
  require_same("processes", whole->size() == cut->size());
  for (std::size_t i = 0; i < whole->size(); ++i) {
    const zerostall::RawTrace &a = (*whole)[i], &b = (*cut)[i];
    require_same("calls", a.calls.size() == b.calls.size());
    for (std::size_t k = 0; k < a.calls.size(); ++k)
      require_same("names", a.strings.text(a.calls[k].name) == b.strings.text(b.calls[k].name));
    require_same("pieces of GPU work", a.gpu_ops.size() == b.gpu_ops.size());
    require_same("marks", a.marks.size() == b.marks.size());
    require_same("truncated traces", a.truncated == b.truncated);
    require_same("oddities", a.oddities == b.oddities);
    require_same("contents", a.contents == b.contents);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t list = text.find('[', text.starts_with('[') ? 0 : text.find("\"traceEvents\""));
  if (list == text.npos) return 0;
  const std::string_view head = std::string_view(text).substr(0, list + 1),
                         events = std::string_view(text).substr(list + 1);
  const std::size_t before = (data[0] | std::size_t{data[1]} << 8) % (events.size() + 1);  // the border
  std::string padded(head);
  padded.append(kChunkBytes - before, ' ').append(events);
  Traces whole = parse(text), cut = parse(padded);
  compare(whole, cut);
  zerostall::fuzz::follow(std::move(cut));
  return 0;
}
