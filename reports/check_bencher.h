// The counts of `zerostall check` in Bencher Metric Format: JSON that `bencher run --adapter json` takes, to follow
// them from commit to commit.
#pragma once
#include <span>
#include <string>

#include "profiler/gate/check.h"

namespace zerostall {

// One benchmark per process, "zerostall" or "zerostall rank0", with a measure for each counter per step: `value` is the
// median over the judged steps, `lower_value` and `upper_value` the least and the most. Times are in nanoseconds,
// their measures end in "-modelled" where they come from a model. What is unknown, and processes whose trace is not
// complete or has no judged step, are left out: a count that is too low would be taken for progress. Ends in a newline.
std::string render_check_bencher(std::span<const CheckedRun> runs);

}  // namespace zerostall
