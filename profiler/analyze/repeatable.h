// Would the same program show the same modelled times again?
#pragma once
#include <optional>

#include "profiler/analyze/steps.h"

namespace zerostall {

// The virtual clock moves the same way each time only as long as one thread at a time makes CUDA calls (the hand-over
// to the autograd thread and back is fine). Threads that only ask whether work is done do not move it (watchdogs of
// communication libraries), unless they ask in vain for so long that the simulator lets the clock jump; how often they
// ask is left to real time, and so is how long their own calls seem to take. True = nothing
// speaks against it. False when calls of two other threads overlap, when a thread that does not work for a step makes
// calls during it, or when the host's own CPU time drives the clock.
// Nullopt for measured times, which nobody expects to repeat.
std::optional<bool> times_repeatable(const Trace& trace, const Steps& steps);

}  // namespace zerostall
