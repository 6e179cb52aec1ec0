#include "profiler/simgpu/core/streams.h"

#include <algorithm>

#include "profiler/simgpu/core/capture.h"
#include "profiler/simgpu/core/hooks.h"
#include "profiler/simgpu/core/wait.h"

namespace zerostall::simgpu {

cudaError_t create_stream(void** stream, unsigned flags, int priority) {
  if (!stream || flags > cudaStreamNonBlocking) return cudaErrorInvalidValue;
  ensure_context();
  if (!current_context()) return cudaErrorNoDevice;
  Simulator& s = simulator();
  std::lock_guard guard(s.lock);
  *stream = s.timeline.create_stream(current_device(), current_context()->id, flags == cudaStreamNonBlocking,
                                     std::clamp(priority, kGreatestPriority, kLeastPriority));
  return cudaSuccess;
}

cudaError_t destroy_stream(const void* handle) {
  Simulator& s = simulator();
  std::lock_guard guard(s.lock);
  Stream* stream = s.timeline.stream(handle);
  if (!stream || stream->legacy || stream->per_thread) return cudaErrorInvalidResourceHandle;
  forget_capture(*stream);
  s.timeline.destroy_stream(handle);
  return cudaSuccess;
}

cudaError_t stream_facts(const void* handle, StreamFacts* facts) {
  Simulator& s = simulator();
  std::lock_guard guard(s.lock);
  const Stream* stream = s.timeline.stream(handle);
  if (!stream) return cudaErrorInvalidResourceHandle;
  const unsigned flags = stream->non_blocking ? cudaStreamNonBlocking : cudaStreamDefault;
  *facts = {stream->id, stream->context, stream->device, stream->priority, flags};
  return cudaSuccess;
}

cudaError_t stream_attribute(const void* handle, cudaLaunchAttributeID id, cudaLaunchAttributeValue* value) {
  Simulator& s = simulator();
  std::lock_guard guard(s.lock);
  const Stream* stream = s.timeline.stream(handle);
  if (!stream) return cudaErrorInvalidResourceHandle;
  if (!value) return cudaErrorInvalidValue;
  *value = {};
  if (id == cudaLaunchAttributePriority) value->priority = stream->priority;
  for (const cudaLaunchAttribute& a : stream->attributes)
    if (a.id == id) *value = a.val;
  return cudaSuccess;
}

cudaError_t set_stream_attribute(const void* handle, cudaLaunchAttributeID id, const cudaLaunchAttributeValue* value) {
  Simulator& s = simulator();
  std::lock_guard guard(s.lock);
  Stream* stream = s.timeline.stream(handle);
  if (!stream) return cudaErrorInvalidResourceHandle;
  if (!value) return cudaErrorInvalidValue;
  if (id == cudaLaunchAttributePriority) {
    stream->priority = std::clamp(value->priority, kGreatestPriority, kLeastPriority);
    return cudaSuccess;
  }
  std::erase_if(stream->attributes, [&](const auto& a) { return a.id == id; });
  cudaLaunchAttribute attribute{};
  attribute.id = id;
  attribute.val = *value;
  stream->attributes.push_back(attribute);
  return cudaSuccess;
}

cudaError_t copy_stream_attributes(const void* target, const void* source) {
  Simulator& s = simulator();
  std::lock_guard guard(s.lock);
  Stream *to = s.timeline.stream(target), *from = s.timeline.stream(source);
  if (!to || !from) return cudaErrorInvalidResourceHandle;
  to->attributes = from->attributes;
  return cudaSuccess;
}

cudaError_t create_event(void** event, unsigned flags) {
  constexpr unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
  const bool shared = (flags & cudaEventInterprocess) != 0, timing = (flags & cudaEventDisableTiming) == 0;
  if (!event || (flags & ~known) || (shared && timing)) return cudaErrorInvalidValue;
  ensure_context();
  if (!current_context()) return cudaErrorNoDevice;
  Simulator& s = simulator();
  std::lock_guard guard(s.lock);
  Event* made = s.timeline.create_event(current_device(), timing);
  made->blocking_sync = (flags & cudaEventBlockingSync) != 0;
  made->interprocess = shared;
  *event = made;
  return cudaSuccess;
}

cudaError_t destroy_event(const void* event) {
  Simulator& s = simulator();
  std::lock_guard guard(s.lock);
  return s.timeline.destroy_event(event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t record_event(const void* event_handle, const void* stream_handle, unsigned flags) {
  if (flags & ~static_cast<unsigned>(cudaEventRecordExternal)) return cudaErrorInvalidValue;
  ensure_context();
  Simulator& s = simulator();
  std::lock_guard guard(s.lock);
  Event* event = s.timeline.event(event_handle);
  Stream* stream = s.timeline.stream(stream_handle);
  if (!event || !stream || event->device != stream->device) return cudaErrorInvalidResourceHandle;
  if (const cudaError_t error = check_legacy(*stream)) return error;
  const bool external = (flags & cudaEventRecordExternal) != 0;
  if (stream->capture) return capture_record(*stream, *event, external);
  if (external) return cudaErrorIllegalState;
  event->capture = 0;
  event->capture_nodes.clear();
  s.clock.advance(s.model.event_ns);
  s.timeline.record(*event, *stream);
  return cudaSuccess;
}

cudaError_t stream_wait_event(const void* stream_handle, const void* event_handle, unsigned flags) {
  if (flags & ~static_cast<unsigned>(cudaEventWaitExternal)) return cudaErrorInvalidValue;
  ensure_context();
  Simulator& s = simulator();
  SyncInfo sync{};
  {
    std::lock_guard guard(s.lock);
    Stream* stream = s.timeline.stream(stream_handle);
    const Event* event = s.timeline.event(event_handle);
    if (!stream || !event) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = check_legacy(*stream)) return error;
    const bool external = (flags & cudaEventWaitExternal) != 0;
    if (stream->capture || event->capture) return capture_wait(*stream, *event, external);
    if (external) return cudaErrorIllegalState;
    sync.begin_ns = s.clock.now();
    s.clock.advance(s.model.event_ns);
    s.timeline.wait_event(*stream, *event);
    sync.kind = SyncKind::stream_wait_event;
    sync.end_ns = s.clock.now();
    sync.stream_id = stream->id;
    sync.event_id = event->id;
    sync.device = static_cast<std::uint32_t>(stream->device);
    sync.context = stream->context;
  }
  sync.correlation = t_correlation;
  publish(sync);
  return cudaSuccess;
}

cudaError_t elapsed_time(float* milliseconds, const void* start, const void* end) {
  if (!milliseconds) return cudaErrorInvalidValue;
  Simulator& s = simulator();
  std::lock_guard guard(s.lock);
  const Event *a = s.timeline.event(start), *b = s.timeline.event(end);
  if (!a || !b || a->device != b->device || !a->timing || !b->timing) return cudaErrorInvalidResourceHandle;
  for (const Event* event : {a, b})
    if (const cudaError_t error = check_event_wait(*event)) return error;
  if (!a->recorded || !b->recorded) return cudaErrorInvalidResourceHandle;
  if (std::max(a->time_ns, b->time_ns) > s.clock.now()) return cudaErrorNotReady;
  *milliseconds = static_cast<float>(b->time_ns - a->time_ns) / 1e6f;
  return cudaSuccess;
}

cudaError_t reset_device(int device) {
  if (const cudaError_t error = wait_device()) return error;
  Simulator& s = simulator();
  std::lock_guard guard(s.lock);
  s.timeline.reset_device(device);
  return cudaSuccess;
}

}  // namespace zerostall::simgpu
