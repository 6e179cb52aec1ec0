// Launching kernels: names, durations, and launches made by libraries (cuBLAS) rather than by the program.
#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

#include "profiler/simgpu/core/functions.h"

namespace zerostall::simgpu {

struct Launch {
  const char* name;  // lives as long as the process
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  const void* stream = nullptr;
  std::int64_t duration_ns = -1;   // -1: from the launch shape
  const void* function = nullptr;  // its handle, if there is one
};

// cudaErrorInvalidConfiguration: an empty or too large grid or block; cudaErrorInvalidValue: more shared memory than
// the function was allowed; cudaErrorInvalidDeviceFunction: `handle` is neither a registered stub nor a function.
cudaError_t check_launch(const void* handle, dim3 grid, dim3 block, std::size_t shared_bytes);

// Queues the kernel and charges the host for the launch, inside the API call that is being made.
cudaError_t launch(const Launch& launch);
cudaError_t launch(const Launch& launch, void* output);  // device memory that it writes; null: not known

// The same as a runtime API call of its own (cudaLaunchKernelExC), as a library that launches internally shows up in
// CUPTI.
cudaError_t library_launch(const Launch& launch);

// Modelled time of a matrix product of m x n x k. `bits` = width of the inputs: 8, 16, 32.
std::int64_t gemm_ns(double m, double n, double k, int bits);

}  // namespace zerostall::simgpu
