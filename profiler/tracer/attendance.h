// Tells `zerostall record` that this process is traced, or should have been (profiler/base/attendance.h). Does nothing
// where the tracer was injected by hand.
#pragma once

namespace zerostall::tracer {

void attend();          // at the first CUDA call, once
void attend_in_vain();  // no trace can be created

}  // namespace zerostall::tracer
