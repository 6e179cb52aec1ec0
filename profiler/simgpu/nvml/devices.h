// The machine's GPUs as NVML sees them: ZEROSTALL_SIM_GPUS of them, whatever CUDA_VISIBLE_DEVICES hides from CUDA.
#pragma once
#include <string>

#include "profiler/simgpu/nvml/types.h"

namespace zerostall::simgpu::nvml {

bool initialized();
void initialize();  // nested, as nvmlInit
bool shut_down();   // false: not initialized

int gpu_count();
Device* gpu(int index);              // null: no such GPU
int index_of(const Device* device);  // -1: not one of ours
// Both as cudaGetDeviceProperties tells them, so that programs can match the two views.
std::string uuid(int index);    // "GPU-..."
std::string bus_id(int index);  // "0000:10:00.0"

}  // namespace zerostall::simgpu::nvml
