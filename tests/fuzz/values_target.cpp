// Values for read-backs from the simulated GPU (`--sim-values FILE`), as people write them.
#include <cstdint>
#include <cstdio>
#include <string>

#include "profiler/base/sim_values.h"

namespace {

void promise(bool kept, const char* what) {
  if (kept) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string error;
  const auto values = zerostall::parse_sim_values({reinterpret_cast<const char*>(data), size}, "v.json", &error);
  if (values) {
    for (const zerostall::SuppliedRead& read : values->reads) promise(!read.values.empty(), "an entry has values");
    return 0;
  }
  promise(error.starts_with("v.json"), "an error names the file");
  for (const char c : error) promise(static_cast<unsigned char>(c) >= 0x20, "an error is one line");
  return 0;
}
