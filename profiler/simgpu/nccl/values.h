// Bytes of device memory on their way into and out of a collective.
#pragma once
#include <cstddef>

namespace zerostall::simgpu::nccl {

// Copies `bytes` from device (or host) memory. Returns whether they are known values. A scalar written before the last
// launch counts as known only if it is an integer: ranks exchange sizes and flags as integers, losses and norms (which
// kernels compute) as floats. Buffers of bytes may be longer than what was written (pickled objects, padded to the
// longest): zeros follow.
bool take(void* target, const void* source, std::size_t bytes, int type);

// The collective has written `bytes` at `target`; `source` null: to unknown values. Call after its launch.
void give(void* target, const void* source, std::size_t bytes, bool real);

}  // namespace zerostall::simgpu::nccl
