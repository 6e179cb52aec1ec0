#include "profiler/simgpu/core/wait.h"

#include <map>

#include "profiler/simgpu/core/capture.h"
#include "profiler/simgpu/core/hooks.h"
#include "profiler/simgpu/core/host_functions.h"
#include "profiler/simgpu/core/pools.h"

namespace zerostall::simgpu {
namespace {

constexpr int kPatience = 8;  // not-ready answers in a row before the clock jumps
thread_local int t_not_ready = 0;

// What a thread that only watches has asked for in vain since the clock last moved.
constexpr int kWatcherPatience = 1000;
struct Watch {
  std::int64_t clock_ns = 0;
  std::map<std::int64_t, int> asked;  // by time of completion
};
thread_local Watch t_watch;

cudaError_t wait_for(std::int64_t time, SyncInfo sync) {
  Simulator& s = simulator();
  sync.begin_ns = s.clock.now();
  s.clock.wait_until(time);
  s.clock.advance(s.model.sync_ns);
  finish_host_functions(time);
  sync.end_ns = s.clock.now();
  note_synchronized();
  sync.correlation = t_correlation;
  publish(sync);
  return cudaSuccess;
}

bool patience_is_over(std::int64_t time) {
  const std::int64_t now = simulator().clock.now();
  if (t_watch.clock_ns != now) t_watch = {now, {}};
  return ++t_watch.asked[time] > kWatcherPatience;
}

cudaError_t answer_watcher(std::int64_t time) {
  Simulator& s = simulator();
  if (time > s.clock.now() && patience_is_over(time)) s.clock.wait_until(time);
  return time > s.clock.now() || !host_functions_done(time) ? cudaErrorNotReady : cudaSuccess;
}

cudaError_t answer(std::int64_t time) {
  if (only_watches()) return answer_watcher(time);
  Simulator& s = simulator();
  s.clock.advance(s.model.query_ns);
  if (time > s.clock.now() && (++t_not_ready > kPatience || time <= host_function_horizon())) s.clock.wait_until(time);
  if (time > s.clock.now() || !host_functions_done(time)) return cudaErrorNotReady;
  t_not_ready = 0;
  return cudaSuccess;
}

// When the work is done that the handle stands for, and the record of waiting for it.
cudaError_t find_stream(const void* handle, std::int64_t* time, SyncInfo* sync) {
  ensure_context();
  if (in_host_function()) return cudaErrorNotPermitted;
  Simulator& s = simulator();
  {
    std::lock_guard guard(s.lock);
    const Stream* stream = s.timeline.stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = check_wait(*stream)) return error;
    *time = s.timeline.stream_tail(*stream);
    sync->kind = SyncKind::stream;
    sync->stream_id = stream->id;
    sync->device = static_cast<std::uint32_t>(stream->device);
    sync->context = stream->context;
  }
  return check_unsafe_call();
}

cudaError_t find_event(const void* handle, std::int64_t* time, SyncInfo* sync) {
  if (in_host_function()) return cudaErrorNotPermitted;
  Simulator& s = simulator();
  {
    std::lock_guard guard(s.lock);
    const Event* event = s.timeline.event(handle);
    if (!event) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = check_event_wait(*event)) return error;
    *time = event->recorded ? event->time_ns : 0;
    sync->kind = SyncKind::event;
    sync->event_id = event->id;
    sync->device = static_cast<std::uint32_t>(event->device);
    sync->context = sync->device + 1;
  }
  return check_unsafe_call();
}

}  // namespace

cudaError_t wait_stream(const void* handle) {
  std::int64_t time = 0;
  SyncInfo sync{};
  const cudaError_t error = find_stream(handle, &time, &sync);
  return error ? error : wait_for(time, sync);
}

cudaError_t wait_event(const void* handle) {
  std::int64_t time = 0;
  SyncInfo sync{};
  const cudaError_t error = find_event(handle, &time, &sync);
  return error ? error : wait_for(time, sync);
}

cudaError_t wait_device() {
  ensure_context();
  if (in_host_function()) return cudaErrorNotPermitted;
  if (!current_context()) return cudaErrorNoDevice;
  Simulator& s = simulator();
  SyncInfo sync{};
  std::int64_t tail = 0;
  {
    std::lock_guard guard(s.lock);
    if (const cudaError_t error = check_device_wait(current_device())) return error;
    tail = s.timeline.device_tail(current_device());
  }
  sync.kind = SyncKind::context;
  sync.device = static_cast<std::uint32_t>(current_device());
  sync.context = current_context()->id;
  return wait_for(tail, sync);
}

cudaError_t query_stream(const void* handle) {
  std::int64_t time = 0;
  SyncInfo sync{};
  const cudaError_t error = find_stream(handle, &time, &sync);
  return error ? error : answer(time);
}

cudaError_t query_event(const void* handle) {
  std::int64_t time = 0;
  SyncInfo sync{};
  const cudaError_t error = find_event(handle, &time, &sync);
  return error ? error : answer(time);
}

}  // namespace zerostall::simgpu
