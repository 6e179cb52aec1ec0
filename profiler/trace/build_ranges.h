// Parts of `build_trace`: threads, and ranges out of marks.
#pragma once
#include <unordered_map>

#include "profiler/trace/trace.h"

namespace zerostall {

using ThreadIndexes = std::unordered_map<std::uint32_t, ThreadIndex>;  // system's thread id -> index

// Fills trace.threads in order of first appearance (calls, then marks) and returns the way to find them.
ThreadIndexes find_threads(const RawTrace& raw, Trace& trace);

// Fills trace.ranges; counts unmatched_pops and open_ranges.
void build_ranges(const std::vector<RawMark>& marks, const ThreadIndexes& threads, Trace& trace);

}  // namespace zerostall
