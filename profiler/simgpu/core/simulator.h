// The simulated devices of the process. CUDA's C ABI has no handle to pass it through, hence the one global, which
// lives until the process ends (programs call CUDA from their exit handlers).
#pragma once
#include <mutex>

#include "profiler/simgpu/core/clock.h"
#include "profiler/simgpu/core/context.h"
#include "profiler/simgpu/core/memory.h"
#include "profiler/simgpu/core/model.h"
#include "profiler/simgpu/core/timeline.h"

namespace zerostall::simgpu {

struct Simulator {
  DeviceModel model = load_model();
  VirtualClock clock;
  MemoryMap memory{static_cast<std::size_t>(model.memory_bytes)};
  std::mutex lock;  // guards timeline
  Timeline timeline{clock, model.launch_queue};
};

Simulator& simulator();

}  // namespace zerostall::simgpu
