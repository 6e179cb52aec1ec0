// Streams, events and the calls that wait for them.
#include <algorithm>

#include "profiler/simgpu/core/hooks.h"
#include "profiler/simgpu/core/wait.h"
#include "profiler/simgpu/runtime/support.h"
#include "runtime_behaviours.h"

using namespace zerostall::simgpu;

namespace {

cudaError_t status(QueryResult result) {
  if (result == QueryResult::unknown) return cudaErrorInvalidResourceHandle;
  return result == QueryResult::ready ? cudaSuccess : cudaErrorNotReady;
}

}  // namespace

extern "C" {

cudaError_t sim_cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  if (!stream || flags > cudaStreamNonBlocking) return cudaErrorInvalidValue;
  Simulator& s = simulator();
  std::lock_guard guard(s.lock);
  *stream = reinterpret_cast<cudaStream_t>(
      s.timeline.create_stream(flags == cudaStreamNonBlocking, std::clamp(priority, -5, 0)));
  return cudaSuccess;
}
cudaError_t sim_cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return sim_cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t sim_cudaStreamCreate(cudaStream_t* stream) { return sim_cudaStreamCreateWithPriority(stream, 0, 0); }
cudaError_t sim_cudaStreamDestroy(cudaStream_t stream) {
  Simulator& s = simulator();
  std::lock_guard guard(s.lock);
  return s.timeline.destroy_stream(reinterpret_cast<Stream*>(stream)) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}
cudaError_t sim_cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  Simulator& s = simulator();
  std::lock_guard guard(s.lock);
  const Stream* stream = s.timeline.stream(handle);
  if (!stream) return cudaErrorInvalidResourceHandle;
  if (!priority) return cudaErrorInvalidValue;
  *priority = stream->priority;
  return cudaSuccess;
}
cudaError_t sim_cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
  Simulator& s = simulator();
  std::lock_guard guard(s.lock);
  const Stream* stream = s.timeline.stream(handle);
  if (!stream) return cudaErrorInvalidResourceHandle;
  if (!flags) return cudaErrorInvalidValue;
  *flags = stream->non_blocking ? cudaStreamNonBlocking : cudaStreamDefault;
  return cudaSuccess;
}
// Capture is not modelled yet; that no stream is capturing is therefore always true.
cudaError_t sim_cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  if (!status) return cudaErrorInvalidValue;
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t sim_cudaStreamGetCaptureInfo(cudaStream_t, cudaStreamCaptureStatus* status, unsigned long long* id,
                                         cudaGraph_t* graph, const cudaGraphNode_t** dependencies,
                                         const cudaGraphEdgeData** edges, size_t* count) {
  if (!status) return cudaErrorInvalidValue;
  *status = cudaStreamCaptureStatusNone;
  if (id) *id = 0;
  if (graph) *graph = nullptr;
  if (dependencies) *dependencies = nullptr;
  if (edges) *edges = nullptr;
  if (count) *count = 0;
  return cudaSuccess;
}
cudaError_t sim_cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  thread_local cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
  if (!mode) return cudaErrorInvalidValue;
  std::swap(*mode, current);
  return cudaSuccess;
}

cudaError_t sim_cudaStreamSynchronize(cudaStream_t handle) {
  return wait_stream(handle) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}
cudaError_t sim_cudaDeviceSynchronize() {
  wait_device();
  return cudaSuccess;
}
cudaError_t sim_cudaThreadSynchronize() { return sim_cudaDeviceSynchronize(); }
cudaError_t sim_cudaStreamQuery(cudaStream_t handle) { return status(query_stream(handle)); }
cudaError_t sim_cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event_handle, unsigned) {
  Simulator& s = simulator();
  std::lock_guard guard(s.lock);
  Stream* stream = s.timeline.stream(handle);
  const Event* event = s.timeline.event(event_handle);
  if (!stream || !event) return cudaErrorInvalidResourceHandle;
  s.clock.advance(s.model.event_ns);
  s.timeline.wait_event(*stream, *event);
  return cudaSuccess;
}

cudaError_t sim_cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  if (!event) return cudaErrorInvalidValue;
  Simulator& s = simulator();
  std::lock_guard guard(s.lock);
  *event = reinterpret_cast<cudaEvent_t>(s.timeline.create_event((flags & cudaEventDisableTiming) == 0));
  return cudaSuccess;
}
cudaError_t sim_cudaEventCreate(cudaEvent_t* event) { return sim_cudaEventCreateWithFlags(event, cudaEventDefault); }
cudaError_t sim_cudaEventDestroy(cudaEvent_t event) {
  Simulator& s = simulator();
  std::lock_guard guard(s.lock);
  return s.timeline.destroy_event(reinterpret_cast<Event*>(event)) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}
cudaError_t sim_cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t stream_handle, unsigned) {
  Simulator& s = simulator();
  std::lock_guard guard(s.lock);
  Event* event = s.timeline.event(handle);
  Stream* stream = s.timeline.stream(stream_handle);
  if (!event || !stream) return cudaErrorInvalidResourceHandle;
  s.clock.advance(s.model.event_ns);
  s.timeline.record(*event, *stream);
  return cudaSuccess;
}
cudaError_t sim_cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return sim_cudaEventRecordWithFlags(event, stream, 0);
}
cudaError_t sim_cudaEventQuery(cudaEvent_t handle) { return status(query_event(handle)); }
cudaError_t sim_cudaEventSynchronize(cudaEvent_t handle) {
  return wait_event(handle) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}
cudaError_t sim_cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (!milliseconds) return cudaErrorInvalidValue;
  Simulator& s = simulator();
  std::lock_guard guard(s.lock);
  const Event *a = s.timeline.event(start), *b = s.timeline.event(end);
  if (!a || !b || !a->timing || !b->timing || !a->recorded || !b->recorded) return cudaErrorInvalidResourceHandle;
  if (std::max(a->time_ns, b->time_ns) > s.clock.now()) return cudaErrorNotReady;
  *milliseconds = static_cast<float>(b->time_ns - a->time_ns) / 1e6f;
  return cudaSuccess;
}

}  // extern "C"
