// The importer of PyTorch profiler traces, text as it is.
#include <span>

#include "profiler/trace/import/kineto.h"
#include "tests/fuzz/whole_route.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  zerostall::fuzz::follow(zerostall::parse_kineto(bytes, "fuzz", {.most_expanded = 1 << 22, .threads = 1}));
  return 0;
}
