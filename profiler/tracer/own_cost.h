// What the tracer's callbacks cost the program, measured while it runs: one call in 64 or so, by kind. What CUPTI takes
// to call us, and to record GPU work, is not in it (of the latter CUPTI's own overhead records tell).
//
// Threads: any. The clock is the machine's, on the simulated GPU too.
#pragma once
#include <atomic>
#include <cstdint>

#include "profiler/trace/api_table.h"

namespace zerostall::tracer {

// 33 to 96, 64 on average, and never the same for long: a step that makes 64 calls would have the same one measured
// again and again.
constexpr std::uint32_t calls_to_next_sample(std::uint32_t& state) {
  state = state * 1'664'525u + 1'013'904'223u;
  return 33 + (state >> 26);
}

std::int64_t real_now_ns();

// Both callbacks of one call took so long.
void add_own_cost(ApiKind kind, std::int64_t ns);

// Writes it into the trace, if anything was measured: the sums over the samples by kind; later ones replace earlier
// ones.
void tell_own_cost();

}  // namespace zerostall::tracer
