// The importer of PyTorch profiler traces where a text is cut into chunks: with blanks in front of its events, so that
// other borders fall into the midst of them, it must read as without. The first two bytes say how many blanks.
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "profiler/trace/import/kineto.h"
#include "tests/fuzz/whole_route.h"

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

void compare(const Traces& one, const Traces& other) {
  require_same("errors", bool(one) == bool(other));
  if (!one) return;
  require_same("processes", one->size() == other->size());
  for (std::size_t i = 0; i < one->size(); ++i) {
    const zerostall::RawTrace &a = (*one)[i], &b = (*other)[i];
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

// Where blanks may stand for sure.
std::size_t begin_of_list(const std::string& text) {
  if (text.starts_with('[')) return 0;
  const std::string key = "\"traceEvents\"";
  const std::size_t at = text.find(key);
  if (at == text.npos) return at;
  const std::size_t list = text.find_first_not_of(" \r\n\t:", at + key.size());
  return list != text.npos && text[list] == '[' ? list : text.npos;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  std::string text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t list = begin_of_list(text);
  if (list == text.npos) return 0;
  // Damaged text is read up to the damage, and what is mended on the way depends on what else is in its chunk.
  const bool sound = nlohmann::json::accept(text);
  const Traces before = parse(text);
  text.insert(list + 1, 1 + (data[0] | std::size_t{data[1]} << 8) % kMostBlanks, ' ');
  Traces behind = parse(text);
  if (sound) compare(before, behind);
  zerostall::fuzz::follow(std::move(behind));
  return 0;
}
