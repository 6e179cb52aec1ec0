// Driver types in terms of the core's. Error numbers are the same in both APIs where the core gives them.
#pragma once
#include "profiler/simgpu/core/copy.h"
#include "profiler/simgpu/driver/support.h"

namespace zerostall::simgpu {

inline CUresult result(CopyStatus s) { return static_cast<CUresult>(s); }
inline CUresult result(cudaError_t e) { return static_cast<CUresult>(e); }
inline void* address(CUdeviceptr p) { return reinterpret_cast<void*>(p); }

}  // namespace zerostall::simgpu
