#include "profiler/simgpu/core/submit.h"

#include <utility>

#include "profiler/simgpu/core/capture.h"
#include "profiler/simgpu/core/host_functions.h"
#include "profiler/simgpu/core/kernel_output.h"
#include "profiler/simgpu/core/variation.h"

namespace zerostall::simgpu {
namespace {

bool publishes(OperationKind kind) { return kind != OperationKind::host_function && kind != OperationKind::empty; }

NodeKind node_kind(OperationKind kind) {
  switch (kind) {
    case OperationKind::kernel:
      return NodeKind::kernel;
    case OperationKind::copy:
      return NodeKind::copy;
    case OperationKind::memset:
      return NodeKind::set;
    case OperationKind::host_function:
      return NodeKind::host;
    case OperationKind::empty:
      break;
  }
  return NodeKind::empty;
}

// Caller holds the simulator's lock.
void queue(Stream& stream, Operation& o) {
  Simulator& s = simulator();
  note_feeding();
  s.clock.advance(o.host.call_ns);
  if (o.host.drains_first) s.clock.wait_until(s.timeline.stream_tail(stream));
  if (o.host.busy_ns) s.clock.advance(o.host.busy_ns);
  const std::int64_t duration_ns = varied(o.duration_ns, stream.id, stream.operations);
  const Span span = s.timeline.enqueue(stream, duration_ns, o.latency_ns, o.engine);
  if (o.host.waits) s.clock.wait_until(span.end_ns + s.model.sync_ns);
  o.work.begin_ns = span.begin_ns;
  o.work.end_ns = span.end_ns;
  o.work.stream_id = stream.id;
  o.work.device = static_cast<std::uint32_t>(stream.device);
  o.work.context = stream.context;
  o.work.correlation = t_correlation;
}

thread_local Operation* t_collected = nullptr;

cudaError_t check(const Stream& stream, const Operation& o) {
  if (in_host_function()) return cudaErrorNotPermitted;
  if (o.kind == OperationKind::kernel && stream.device != current_device()) return cudaErrorInvalidResourceHandle;
  return check_legacy(stream);
}

}  // namespace

cudaError_t submit(const void* handle, Operation&& operation) {
  if (t_collected) {
    *t_collected = std::move(operation);
    return cudaSuccess;
  }
  ensure_context();
  Simulator& s = simulator();
  const bool synchronous = publishes(operation.kind) && !operation.work.async;
  if (synchronous)
    if (const cudaError_t error = check_unsafe_call()) return error;
  {
    std::lock_guard guard(s.lock);
    Stream* stream = s.timeline.stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = check(*stream, operation)) return error;
    if (stream->capture) {
      const NodeKind kind = node_kind(operation.kind);
      return capture_operation(*stream, kind, std::move(operation), nullptr, nullptr);
    }
    queue(*stream, operation);
  }
  publish_queue_wait();
  if (operation.kind == OperationKind::kernel) {
    s.memory.note_launch();
    note_output(operation.target);
  }
  if (operation.kind == OperationKind::host_function) {
    queue_host_function(operation.work.begin_ns, std::move(operation.effect));
    return cudaSuccess;
  }
  // What host functions before it did to memory, a copy that the host waits for must see.
  if (operation.host.waits) finish_host_functions(operation.work.begin_ns);
  if (operation.effect) {
    // Behind a host function that has not run yet the bytes move in its turn, and see what it did.
    if (!operation.host.waits && g_next_host_function_ns.load() <= operation.work.begin_ns)
      queue_host_function(operation.work.begin_ns, std::move(operation.effect));
    else
      operation.effect();
  }
  if (publishes(operation.kind)) publish(operation.work);
  return cudaSuccess;
}

cudaError_t collect_operation(const std::function<cudaError_t()>& call, Operation* operation) {
  operation->kind = OperationKind::empty;  // a copy of no bytes submits nothing
  t_collected = operation;
  const cudaError_t error = call();
  t_collected = nullptr;
  return error;
}

cudaError_t submit_host_function(const void* stream, cudaHostFn_t function, void* argument) {
  if (!function) return cudaErrorInvalidValue;
  Operation o{};
  o.kind = OperationKind::host_function;
  o.duration_ns = kHostFunctionNs;
  o.latency_ns = simulator().model.launch_latency_ns;
  o.host.call_ns = simulator().model.launch_ns;
  o.function = reinterpret_cast<const void*>(function);
  o.target = argument;
  o.effect = [function, argument] { function(argument); };
  return submit(stream, std::move(o));
}

cudaError_t submit_callback(const void* stream, std::function<void()> callback) {
  CaptureInfo info;
  if (const cudaError_t error = capture_info(stream, &info)) return error;
  if (info.status != cudaStreamCaptureStatusNone) return cudaErrorStreamCaptureUnsupported;
  Operation o{};
  o.kind = OperationKind::host_function;
  o.duration_ns = kHostFunctionNs;
  o.latency_ns = simulator().model.launch_latency_ns;
  o.host.call_ns = simulator().model.launch_ns;
  o.effect = std::move(callback);
  return submit(stream, std::move(o));
}

}  // namespace zerostall::simgpu
