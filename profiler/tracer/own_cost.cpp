#include "profiler/tracer/own_cost.h"

#include <time.h>

#include <array>
#include <string>

#include "profiler/tracer/collector.h"

namespace zerostall::tracer {
namespace {

struct Sum {
  std::atomic<std::uint64_t> samples{0}, ns{0};
};
// Never destroyed: callbacks come until the process ends.
constinit std::array<Sum, kApiKinds> g_sums{};

}  // namespace

std::int64_t real_now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

void add_own_cost(ApiKind kind, std::int64_t ns) {
  Sum& sum = g_sums[static_cast<std::size_t>(kind)];
  sum.samples.fetch_add(1, std::memory_order_relaxed);
  sum.ns.fetch_add(static_cast<std::uint64_t>(ns), std::memory_order_relaxed);
}

void tell_own_cost() {
  std::string kinds;
  for (std::size_t i = 0; i < g_sums.size(); ++i) {
    const std::uint64_t samples = g_sums[i].samples.load(std::memory_order_relaxed);
    if (samples == 0) continue;
    kinds += (kinds.empty() ? "\"" : ", \"") + std::string(name_of(static_cast<ApiKind>(i))) +
             "\": {\"samples\": " + std::to_string(samples) +
             ", \"ns\": " + std::to_string(g_sums[i].ns.load(std::memory_order_relaxed)) + "}";
  }
  if (!kinds.empty()) collector().define(format::DefinitionKind::meta, 0, "{\"own_cost\": {" + kinds + "}}");
}

}  // namespace zerostall::tracer
