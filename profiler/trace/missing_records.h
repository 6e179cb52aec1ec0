// GPU records that should be in a trace and are not: CUPTI counts what it drops itself, but says nothing of what it
// gives to another tool of the process.
#pragma once
#include <cstdint>

#include "profiler/trace/trace.h"

namespace zerostall {

// Launches of single kernels that succeeded, outside of every stream capture, and that no GPU record belongs to. A
// launch into a captured stream runs nothing, and an empty graph has no record either: neither is counted. The trace's
// GPU work must be linked to its calls.
std::int64_t launches_without_record(const Trace& trace);

}  // namespace zerostall
