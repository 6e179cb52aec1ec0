// Stage 2 of the route: from records as found to the event model.
#pragma once
#include "profiler/trace/trace.h"

namespace zerostall {

// Total: whatever the records hold, the result keeps the promises of trace.h. What had to be repaired or left out is
// counted in Trace::oddities:
//   orphaned_calls     nested calls whose enclosing call is missing; they stand as outermost
//   reversed_calls     calls that ended before they began; given length 0
//   backward_stamps    calls that began before an earlier call of their thread; kept in file order
//   unlinked_gpu_ops   GPU work without a call (graphs, calls before the tracer attached)
//   impossible_times   records with a stamp before 1823 or after 2116: the nearest was taken, and GPU work has bad
//   times bad_times          GPU work with zero or reversed times, or that began 20 us or more before its launch
//   unmatched_pops     range ends without a begin
//   open_ranges        ranges never closed
Trace build_trace(RawTrace raw);

}  // namespace zerostall
