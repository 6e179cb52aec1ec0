// How long a device takes from a launch to its start when nothing is in the way.
#pragma once
#include "profiler/trace/trace.h"

namespace zerostall {

// The 5th percentile (nearest rank) of the time from the begin of the launching call to the start, over work that was
// launched when its stream had nothing left to do. 0 where there is no such work.
Nanos find_launch_latency(const Trace& trace);

}  // namespace zerostall
