// What the generated entry points of the driver need beside the behaviours.
#pragma once
#ifndef __CUDA_API_VERSION_INTERNAL  // as driver_behaviours.h, whichever comes first
#define __CUDA_API_VERSION_INTERNAL
#endif
#include <cuda.h>

#include "profiler/simgpu/core/functions.h"
#include "profiler/simgpu/core/hooks.h"

namespace zerostall::simgpu {

// Core answers with error numbers of the runtime, which the driver shares as far as core uses them.
inline CUresult status(cudaError_t error) { return static_cast<CUresult>(error); }

inline CUresult remember(CUresult result) { return result; }  // the driver keeps no last error

inline const char* symbol_of(const void* function) { return kernel_name(function); }

}  // namespace zerostall::simgpu
