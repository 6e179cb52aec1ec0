// What marks leave out of a loop.
#pragma once
#include <cstdint>
#include <vector>

#include "profiler/analyze/steps.h"
#include "profiler/analyze/waits.h"

namespace zerostall {

// Between a judged step and the next, on marking threads: where it waits each time, the marks leave out a part of each
// turn of the loop.
struct BetweenSteps {
  std::int64_t gaps = 0, gaps_with_waits = 0;
  std::int64_t waits = 0;  // host waits in them
};

// In at least every other gap, of two or more.
constexpr bool waits_each_time(const BetweenSteps& between) {
  return between.gaps >= 2 && 2 * between.gaps_with_waits >= between.gaps;
}

// Total. `warmup`: first steps that are not judged.
BetweenSteps look_between_steps(const Steps& steps, const std::vector<Wait>& waits, std::size_t warmup);

}  // namespace zerostall
