#include "profiler/simgpu/core/submit.h"

namespace zerostall::simgpu {
namespace {

bool publishes(OperationKind kind) { return kind != OperationKind::host_function && kind != OperationKind::empty; }

// Caller holds the simulator's lock.
void queue(Stream& stream, Operation& o) {
  Simulator& s = simulator();
  s.clock.advance(o.host.call_ns);
  if (o.host.drains_first) s.clock.wait_until(s.timeline.stream_tail(stream));
  if (o.host.busy_ns) s.clock.advance(o.host.busy_ns);
  const Span span = s.timeline.enqueue(stream, o.duration_ns, o.latency_ns, o.engine);
  if (o.host.waits) s.clock.wait_until(span.end_ns + s.model.sync_ns);
  o.work.begin_ns = span.begin_ns;
  o.work.end_ns = span.end_ns;
  o.work.stream_id = stream.id;
  o.work.correlation = t_correlation;
}

}  // namespace

cudaError_t submit(const void* handle, Operation&& operation) {
  Simulator& s = simulator();
  {
    std::lock_guard guard(s.lock);
    Stream* stream = s.timeline.stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    queue(*stream, operation);
  }
  if (operation.kind == OperationKind::kernel) s.memory.note_launch();
  if (operation.effect) operation.effect();
  if (publishes(operation.kind)) publish(operation.work);
  return cudaSuccess;
}

}  // namespace zerostall::simgpu
