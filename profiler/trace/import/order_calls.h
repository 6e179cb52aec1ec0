// Calls of tools that record intervals, in the form that RawTrace wants.
#pragma once
#include <span>
#include <vector>

#include "profiler/trace/raw_trace.h"

namespace zerostall {

// Sorts calls into the order in which they returned, threads one after the other, and sets `depth` from which interval
// lies in which (at most 255). Where two intervals share a begin or an end it is the names that tell: a driver call
// lies in the runtime call, a call in one of the same correlation, in the order of the records; others follow each
// other, also in that order (stamps of whole microseconds cannot tell them apart). Intervals that only overlap are no
// nesting.
void order_calls(std::vector<RawCall>& calls, const StringTable& strings);

// The same for calls of one thread, in place.
void order_thread(std::span<RawCall> calls, const StringTable& strings);

}  // namespace zerostall
