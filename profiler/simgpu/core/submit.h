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
  Work work{};  // the record to publish; submit() fills in times, correlation, stream and device
  // What it does to bytes: runs when queued, and at each launch of a graph that holds it. Of a host function: the
  // function, run by the worker thread in stream order.
  std::function<void()> effect;
  // What parameter getters of graph nodes answer with, as far as it is known.
  const void* function = nullptr;  // kernels: host stub or CUfunction; host functions: the function
  void* target = nullptr;          // copies, memsets; kernels: what they write, if known; host functions: the argument
  const void* source = nullptr;
};

// Queues the operation, charges the host, has the effect and publishes the record. `stream` may be null or one of the
// special handles. Into a captured stream the operation goes as a node of the graph: nothing happens and no time
// passes. cudaErrorInvalidResourceHandle: unknown stream, or a kernel on a stream of a device that is not the current
// one. cudaErrorNotPermitted: called by a host function. Errors of capture. Error numbers are those of the driver too.
cudaError_t submit(const void* stream, Operation&& operation);

// Runs `call`; the operation that it submits lands in `operation` and nowhere else. Makes nodes of graphs out of the
// ordinary ways to describe work: copy(), set(), launch().
cudaError_t collect_operation(const std::function<cudaError_t()>& call, Operation* operation);

// Runs `function(argument)` in stream order (core/host_functions.h).
cudaError_t submit_host_function(const void* stream, cudaHostFn_t function, void* argument);
// The same with a status, as cudaStreamAddCallback: not allowed in a captured stream.
cudaError_t submit_callback(const void* stream, std::function<void()> callback);

}  // namespace zerostall::simgpu
