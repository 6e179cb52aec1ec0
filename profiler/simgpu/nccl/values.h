// Bytes of device memory on their way into and out of a collective.
#pragma once
#include <cstddef>

#include "profiler/simgpu/core/contents.h"

namespace zerostall::simgpu::nccl {

// Copies `bytes` from device (or host) memory and says how certain they are. A scalar written before the last launch is
// stored if it is an integer, else unknown: ranks exchange sizes and flags as integers, losses and norms (which kernels
// compute) as floats. Buffers of bytes may be longer than what was written (pickled objects, padded to the longest):
// zeros follow, and they are stored at best. Stored values travel, and a read-back of them is reported as not real.
Certainty take(void* target, const void* source, std::size_t bytes, int type);

// The collective has written `bytes` at `target`; `source` null: to unknown values. Call after its launch.
void give(void* target, const void* source, std::size_t bytes, Certainty certainty, int type);

}  // namespace zerostall::simgpu::nccl
