// The NVTX ranges the calling thread is in, so that values can be supplied by range. Told by our tracer, which is the
// NVTX injection of a traced run, or by the simulator's own injection (NVTX_INJECTION64_PATH = libzerostall_simcore.so)
// when no tracer is there. Start/end ranges belong to no thread and are not kept.
#pragma once
#include <string>
#include <vector>

namespace zerostall::simgpu {

void push_range(const char* name);  // any domain; null counts as ""
void pop_range();                   // no effect outside every range

// Outermost first.
const std::vector<std::string>& thread_ranges();

}  // namespace zerostall::simgpu
