// What the parameters of a CUDA call tell: stream, event, size, direction.
#pragma once
#include <cupti.h>

#include "profiler/trace/format.h"

namespace zerostall::tracer {

// Fills `stream`, `handle` (event, or executable graph of a graph launch), `bytes` and `copy_kind` of the record as far
// as the parameters say; the rest stays as it is. `data` is that of the call's exit callback and `record.result` its
// result. Structures of the program's that parameters point to are looked at only if the call succeeded, and so has
// read them itself: a failed call may point anywhere. Thread-safe; takes no lock, allocates nothing.
void read_params(CUpti_CallbackDomain domain, CUpti_CallbackId id, const CUpti_CallbackData& data,
                 format::CallRecord& record);

// Whether parameters of this call are read. Those of __cudaLaunchKernel are not: no public header describes them.
bool reads_params(CUpti_CallbackDomain domain, CUpti_CallbackId id);

}  // namespace zerostall::tracer
