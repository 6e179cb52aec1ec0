// Which of several names that look like steps are the steps.
#pragma once
#include <string>
#include <vector>

#include "profiler/trace/trace.h"

namespace zerostall {

// Of ranges and marks (in order of begin) whose texts all match the step pattern those of one name stay: numbers apart,
// "step 7" and "step 8" are one. ProfilerStep#N and "step N" are most trusted, as one name; then what is not inside
// another of them; then what calls itself a step, before iterations and batches, with a number before without; then
// what lasts longer in all, is more often, comes first. Of traces of PyTorch's profiler only what calls itself a step
// stays at all: that has a mark of its own for steps. Returns the other names, as "process batch #", in order of text.
std::vector<std::string> keep_most_trusted_name(const Trace& trace, std::vector<const Range*>& ranges);

}  // namespace zerostall
