// The one door through which work reaches a stream: kernels, copies, memsets, host functions, markers. An operation is
// plain data, so that it can run now, be kept as a node of a graph, or run again each time the graph is launched.
// Thread-safe.
#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>

#include "profiler/simgpu/core/hooks.h"
#include "profiler/simgpu/core/timeline.h"

namespace zerostall::simgpu {

enum class OperationKind : std::uint8_t { kernel, copy, memset, host_function, empty };

// What the issuing call costs the host; graph launches pay their own cost instead. In this order:
struct HostCost {
  std::int64_t call_ns = 0;   // inside the call
  bool drains_first = false;  // waits for the work already in the stream
  std::int64_t busy_ns = 0;   // then works, for instance staging pageable memory
  bool waits = false;         // then blocks until the operation has ended
};

struct Operation {
  OperationKind kind = OperationKind::kernel;
  Engine engine = Engine::compute;
  std::int64_t duration_ns = 0;
  std::int64_t latency_ns = 0;  // from the call to the earliest start on an idle stream
  HostCost host;
  Work work{};                   // the record to publish; submit() fills in times, correlation, stream and device
  std::function<void()> effect;  // what it does to bytes: when queued, and at each launch of a graph that holds it
};

// Queues the operation, charges the host, has the effect and publishes the record. `stream` may be null or one of the
// special handles. cudaErrorInvalidResourceHandle: unknown stream. Error numbers are those of the driver too.
cudaError_t submit(const void* stream, Operation&& operation);

}  // namespace zerostall::simgpu
