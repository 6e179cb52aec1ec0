// Allocation as the runtime and the driver have it in common: what waits, what is counted, which errors there are.
// Error numbers are those of cudaError_t and CUresult alike.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>

#include "profiler/simgpu/core/memory.h"

namespace zerostall::simgpu {

// On the current device. Nothing asked for: null, no error.
cudaError_t allocate_device(void** pointer, std::size_t bytes);
// Rows padded to the pitch a real device gives them.
cudaError_t allocate_pitched(void** pointer, std::size_t* pitch, std::size_t width_bytes, std::size_t rows);
cudaError_t allocate_pinned(void** pointer, std::size_t bytes, unsigned flags);
cudaError_t allocate_managed(void** pointer, std::size_t bytes, unsigned flags);

// These wait until the device is idle. Null is freed without an error.
cudaError_t free_device(void* pointer);  // device, pooled or managed memory
cudaError_t free_pinned(void* pointer);
cudaError_t register_pinned(void* pointer, std::size_t bytes, unsigned flags);
cudaError_t unregister_pinned(void* pointer);

cudaError_t memory_info(std::size_t* free_bytes, std::size_t* total_bytes);  // of the current device

}  // namespace zerostall::simgpu
