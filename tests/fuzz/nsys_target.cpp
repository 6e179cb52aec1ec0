// The importer of Nsight Systems' exports.
#include <span>

#include "profiler/trace/import/nsys.h"
#include "tests/fuzz/whole_route.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  zerostall::fuzz::follow(zerostall::parse_nsys(std::as_bytes(std::span(data, size)), "fuzz", {}));
  return 0;
}
