// One trace per process, from records that were read together.
#pragma once
#include <cstdint>
#include <vector>

#include "profiler/trace/raw_trace.h"

namespace zerostall {

// As the system numbers them; below 0 = not a number.
struct ProcessThread {
  std::int64_t process = -1, thread = -1;
};

// `all` holds positions in `threads` in place of thread ids; they become the system's ids again, or numbers of their
// own where those are none or not unique. Calls are brought in order (order_calls). GPU work goes to the process whose
// call has the same correlation; where several have it, it loses its correlation (oddity ambiguous_correlations).
//
// One trace per process that made calls or marked profiler steps, in order of first appearance; marks of others are
// left out. What is known of the file as a whole (contents, oddities, meta, the end) stands in the first.
std::vector<RawTrace> split_processes(RawTrace all, const std::vector<ProcessThread>& threads);

}  // namespace zerostall
