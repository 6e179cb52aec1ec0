#include "profiler/simgpu/core/variation.h"

#include <cstdlib>

namespace zerostall::simgpu {
namespace {

const std::uint64_t g_seed = [] {
  const char* text = std::getenv("ZEROSTALL_SIM_SEED");
  return text ? std::strtoull(text, nullptr, 10) : 0;
}();

// SplitMix64's mixing function (public domain): every bit of the input changes half of the output's.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

std::int64_t varied(std::int64_t duration_ns, std::uint64_t stream, std::uint64_t operation) {
  if (g_seed == 0) return duration_ns;
  const std::uint64_t bits = mixed(mixed(mixed(g_seed) + stream) + operation);
  const double even = static_cast<double>(bits >> 11) / 9007199254740992.0;  // 2^53: in [0, 1)
  return duration_ns + static_cast<std::int64_t>(static_cast<double>(duration_ns) * kSpread * (2 * even - 1));
}

}  // namespace zerostall::simgpu
