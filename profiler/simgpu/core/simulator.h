// The one simulated device of the process. CUDA's C ABI has no handle to pass it through, hence the one global, which
// lives until the process ends (programs call CUDA from their exit handlers).
#pragma once
#include <mutex>

#include "profiler/simgpu/core/clock.h"
#include "profiler/simgpu/core/memory.h"
#include "profiler/simgpu/core/model.h"
#include "profiler/simgpu/core/timeline.h"

namespace zerostall::simgpu {

struct Simulator {
  DeviceModel model = load_model();
  VirtualClock clock;
  MemoryMap memory;
  std::mutex lock;  // guards timeline
  Timeline timeline{clock, model.launch_queue};
};

Simulator& simulator();

// Devices are alike; how many there are says ZEROSTALL_SIM_GPUS (default 1). The current one belongs to the thread.
int device_count();
int current_device();
bool set_current_device(int device);  // false: no such device

// The CUcontext of a device's primary context: an address that means nothing but itself.
void* primary_context_handle(int device);

}  // namespace zerostall::simgpu
