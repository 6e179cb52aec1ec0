// Why the figures of a run cannot carry a pass.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "profiler/analyze/summary.h"
#include "profiler/gate/policy.h"

namespace zerostall {

inline constexpr std::int64_t kFewestJudgedSteps = 3;

// Sentences for a person, without the name of the run. Both empty: the figures can be judged.
struct Doubts {
  // Nothing per step can be said at all: no CUDA calls, no steps, too few of them, inferred ones that were not wanted.
  std::vector<std::string> hopeless;
  // Some of it is missing: what is too much is too much all the same, but what seems to be within limits may not be.
  std::vector<std::string> partial;
};
Doubts doubts_of(const RunSummary& run, std::int64_t fewest_steps, StepsWanted wanted);

}  // namespace zerostall
