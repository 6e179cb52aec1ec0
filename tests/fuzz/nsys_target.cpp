// The importer of Nsight Systems' SQLite exports.
#include <span>

#include "profiler/trace/import/nsys.h"
#include "whole_route.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  zerostall::fuzz::follow(zerostall::parse_nsys(bytes, "fuzz", {}));
  return 0;
}
