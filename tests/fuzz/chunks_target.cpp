// The importer of PyTorch profiler traces where a text is cut into chunks: with blanks in front of its events, so that
// a border falls into the midst of them, it must read as without. The first two bytes say where the border falls.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>

#include "profiler/trace/import/kineto.h"
#include "whole_route.h"

namespace {

using Traces = zerostall::Result<std::vector<zerostall::RawTrace>>;

constexpr std::size_t kMostBlanks = 2000;  // several chunks: they are small here (event_chunks.cpp)

Traces parse(const std::string& text) {
  return zerostall::parse_kineto(std::as_bytes(std::span(text)), "fuzz", {.most_expanded = 1 << 22, .threads = 1});
}

void require_same(const char* what, bool same) {
  if (same) return;
  std::fprintf(stderr, "broken promise: %s do not depend on chunks\n", what);
  std::abort();
}

bool any(const Traces& traces, bool (*is)(const zerostall::RawTrace&)) {
  return std::any_of(traces->begin(), traces->end(), is);
}
bool is_cut(const zerostall::RawTrace& trace) { return trace.truncated; }
bool is_mended(const zerostall::RawTrace& trace) { return trace.oddities.contains("text_not_utf8"); }

// Damaged text is read up to the damage, and how much of it is mended on the way, or even looked at, depends on what
// else is in its chunk.
void compare(const Traces& one, const Traces& other) {
  if (!one || any(one, is_cut) || any(one, is_mended)) return;
  require_same("errors", bool(other));
  if (any(other, is_mended)) return;
  require_same("processes", one->size() == other->size());
  for (std::size_t i = 0; i < one->size(); ++i) {
    const zerostall::RawTrace &a = (*one)[i], &b = (*other)[i];
    require_same("calls", a.calls.size() == b.calls.size());
    for (std::size_t k = 0; k < a.calls.size(); ++k)
      require_same("names", a.strings.text(a.calls[k].name) == b.strings.text(b.calls[k].name));
    require_same("pieces of GPU work", a.gpu_ops.size() == b.gpu_ops.size());
    require_same("marks", a.marks.size() == b.marks.size());
    require_same("sound traces", !b.truncated);
    require_same("oddities", a.oddities == b.oddities);
    require_same("contents", a.contents == b.contents);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  std::string text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t list = text.find('[', text.starts_with('[') ? 0 : text.find("\"traceEvents\""));
  if (list == text.npos) return 0;
  const Traces before = parse(text);
  text.insert(list + 1, 1 + (data[0] | std::size_t{data[1]} << 8) % kMostBlanks, ' ');
  Traces behind = parse(text);
  compare(before, behind);
  zerostall::fuzz::follow(std::move(behind));
  return 0;
}
