// ncclGroupStart and ncclGroupEnd: what a thread has collected, and running it.
#pragma once
#include "profiler/simgpu/nccl/operation.h"

namespace zerostall::simgpu::nccl {

// Runs the operation, or keeps it while a group is open on this thread.
Result submit(Operation&& operation);

void group_start();
// kInvalidUsage: no group is open. kInProgress: a non-blocking communicator is not ready yet.
Result group_end();
// Ends the group without running it; the time its longest kernel would take.
Result group_simulate_end(float* estimated_us);

}  // namespace zerostall::simgpu::nccl
