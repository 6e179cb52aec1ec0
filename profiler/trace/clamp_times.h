// The first thing that build_trace does: whatever a file claims, every later stage can subtract one stamp from another.
#pragma once
#include "profiler/trace/raw_trace.h"

namespace zerostall {

// Stamps outside of [kEarliestStamp, kLatestStamp] become the nearest inside; GPU work that has one is left without
// times. Records of which one was changed are counted as "impossible_times".
void clamp_times(RawTrace& raw);

}  // namespace zerostall
