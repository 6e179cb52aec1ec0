// When steps begin and end of which only the launches are known: which copies and waits between two launches belong to
// the step before, which to the one behind.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "profiler/analyze/launches.h"
#include "profiler/analyze/recurrence.h"
#include "profiler/analyze/steps.h"

namespace zerostall {

// A step begins with the first upload to the device behind the last launch of the step before, where there is one, else
// with its own first launch. Where something else lies between two steps, and before the first and behind the last,
// it has the same copies and waits around its launches as the others have. nullopt: two steps cannot be kept apart,
// as their calls have equal times.
std::optional<std::vector<Step>> bound_steps(const Trace& trace, const Launches& launches,
                                             std::span<const Stretch> steps);

// A copy, a wait, or a call that may be one.
bool is_copy_or_wait(const Call& call);

}  // namespace zerostall
