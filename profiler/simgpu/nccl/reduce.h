// The arithmetic of collectives on small buffers: element types, reductions, scaling. Sums of 16- and 8-bit types are
// kept in float and rounded once, in the order of the ranks; a real GPU may round after each step.
#pragma once
#include <cstddef>

#include "profiler/simgpu/nccl/abi.h"

namespace zerostall::simgpu::nccl {

// out[i] = reduction over all `inputs` (one per rank) of input[i]. Inputs and output hold `count` elements of `type`;
// the output may be one of the inputs. Operators made by ncclRedOpCreatePreMulSum count as kSum here: scale() comes
// first.
void reduce(void* out, const void* const* inputs, int ranks, std::size_t count, int type, int reduction);

// data[i] *= *factor, which is one element of `type`.
void scale(void* data, std::size_t count, int type, const void* factor);

}  // namespace zerostall::simgpu::nccl
