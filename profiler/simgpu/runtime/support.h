// What the generated entry points of the runtime need beside the behaviours: the thread's last error, names of kernels.
#pragma once
#include <cuda_runtime_api.h>

#include "profiler/simgpu/core/launch.h"

namespace zerostall::simgpu {

extern thread_local cudaError_t t_last_error;

// cudaGetLastError reports it later; "not ready" too, which is why PyTorch clears it after each query.
inline cudaError_t remember(cudaError_t result) {
  if (result != cudaSuccess) t_last_error = result;
  return result;
}

inline const char* symbol_of(const void* host_function) { return kernel_name(host_function); }

}  // namespace zerostall::simgpu
