// GPU records that should be in a trace and are not, and those that should not be: CUPTI counts what it drops itself,
// but says nothing of what it gives to another tool of the process, or twice.
#pragma once
#include <cstdint>
#include <vector>

#include "profiler/trace/trace.h"

namespace zerostall {

// Launches of single kernels that succeeded, outside of every stream capture, and that no GPU record belongs to. A
// launch into a captured stream runs nothing, and an empty graph has no record either: neither is counted. The trace's
// GPU work must be linked to its calls.
std::int64_t launches_without_record(const Trace& trace);

// Removes pieces of GPU work that are in the trace twice, equal in everything, which no stream can have done: some
// copies of CUPTI hand a buffer over twice. Records without times cannot be told apart and stay. Returns how many. The
// work must be in the order of Trace::gpu_ops.
std::int64_t drop_repeated(std::vector<GpuOp>& ops);

}  // namespace zerostall
