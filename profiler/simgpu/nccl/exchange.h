// What an operation does with the shared memory: the steps of the protocol, none of which waits.
//   collective k of a communicator: wait until all have taken the result of k-1; write the contribution, raise
//   `posted`; wait until all have posted k; compute the own result from all contributions, raise `done`.
//   send, receive: put into or take from the channel between the two ranks.
#pragma once
#include "profiler/simgpu/nccl/operation.h"

namespace zerostall::simgpu::nccl {

struct Advance {
  Result error = kSuccess;
  bool moved = false;
};
Advance advance(Operation& op);

}  // namespace zerostall::simgpu::nccl
