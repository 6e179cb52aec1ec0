// Shared by the files with NCCL's entry points.
#pragma once
#include <cuda_runtime_api.h>

#include "profiler/simgpu/nccl/comm.h"

#define EXPORT extern "C" __attribute__((visibility("default")))
