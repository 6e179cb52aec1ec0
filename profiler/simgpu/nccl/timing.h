// What a group's operations on one communicator and stream look like on the device: one kernel, as NCCL fuses them. Its
// time follows from the bytes each device sends and receives and the link figures of the device model, by the usual
// formulas of ring algorithms. Modelled, not measured.
#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

#include "profiler/simgpu/nccl/operation.h"

namespace zerostall::simgpu::nccl {

struct Kernel {
  const char* symbol;  // mangled, as CUPTI gives it; lives as long as the process
  dim3 grid, block;
  std::int64_t duration_ns;  // once all participants are there
};
Kernel kernel_for(const std::vector<const Operation*>& operations);

}  // namespace zerostall::simgpu::nccl
