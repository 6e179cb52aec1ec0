// Streams and events as the public API sees them, for the runtime and the driver alike: handles in, error numbers out
// (equal in both). Thread-safe.
#pragma once
#include <cuda_runtime_api.h>

#include "profiler/simgpu/core/simulator.h"

namespace zerostall::simgpu {

inline constexpr int kLeastPriority = 0, kGreatestPriority = -5;

cudaError_t create_stream(void** stream, unsigned flags, int priority);  // on the current device
cudaError_t destroy_stream(const void* stream);
struct StreamFacts {
  std::uint32_t id, context;
  int device, priority;
  unsigned flags;
};
cudaError_t stream_facts(const void* stream, StreamFacts* facts);

// Attributes that were never set are zero, the priority excepted.
cudaError_t stream_attribute(const void* stream, cudaLaunchAttributeID id, cudaLaunchAttributeValue* value);
cudaError_t set_stream_attribute(const void* stream, cudaLaunchAttributeID id, const cudaLaunchAttributeValue* value);
cudaError_t copy_stream_attributes(const void* target, const void* source);

// cudaEventDefault, BlockingSync, DisableTiming, Interprocess. Blocking sync only changes how a real host waits.
cudaError_t create_event(void** event, unsigned flags);
cudaError_t destroy_event(const void* event);
cudaError_t record_event(const void* event, const void* stream, unsigned flags);
cudaError_t stream_wait_event(const void* stream, const void* event, unsigned flags);
cudaError_t elapsed_time(float* milliseconds, const void* start, const void* end);

// cudaDeviceReset: waits for the device, then forgets its streams and events.
cudaError_t reset_device(int device);

}  // namespace zerostall::simgpu
