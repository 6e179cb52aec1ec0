#include "profiler/simgpu/core/wait.h"

#include "profiler/simgpu/core/hooks.h"
#include "profiler/simgpu/core/pools.h"

namespace zerostall::simgpu {
namespace {

constexpr int kPatience = 8;  // not-ready answers in a row before the clock jumps
thread_local int t_not_ready = 0;

void wait_for(std::int64_t time, SyncInfo sync) {
  Simulator& s = simulator();
  sync.begin_ns = s.clock.now();
  s.clock.wait_until(time);
  s.clock.advance(s.model.sync_ns);
  sync.end_ns = s.clock.now();
  note_synchronized();
  sync.correlation = t_correlation;
  publish(sync);
}

QueryResult answer(std::int64_t time) {
  Simulator& s = simulator();
  s.clock.advance(s.model.query_ns);
  if (time > s.clock.now() && ++t_not_ready > kPatience) s.clock.wait_until(time);
  if (time > s.clock.now()) return QueryResult::not_ready;
  t_not_ready = 0;
  return QueryResult::ready;
}

}  // namespace

bool wait_stream(const void* handle) {
  Simulator& s = simulator();
  std::int64_t tail = 0;
  SyncInfo sync{};
  {
    std::lock_guard guard(s.lock);
    const Stream* stream = s.timeline.stream(handle);
    if (!stream) return false;
    tail = s.timeline.stream_tail(*stream);
    sync.kind = SyncKind::stream;
    sync.stream_id = stream->id;
  }
  wait_for(tail, sync);
  return true;
}

bool wait_event(const void* handle) {
  Simulator& s = simulator();
  std::int64_t time = 0;
  SyncInfo sync{};
  {
    std::lock_guard guard(s.lock);
    const Event* event = s.timeline.event(handle);
    if (!event) return false;
    time = event->recorded ? event->time_ns : 0;
    sync.kind = SyncKind::event;
    sync.event_id = event->id;
  }
  wait_for(time, sync);
  return true;
}

void wait_device() {
  Simulator& s = simulator();
  std::int64_t tail = 0;
  {
    std::lock_guard guard(s.lock);
    tail = s.timeline.device_tail();
  }
  SyncInfo sync{};
  sync.kind = SyncKind::context;
  wait_for(tail, sync);
}

QueryResult query_stream(const void* handle) {
  Simulator& s = simulator();
  std::lock_guard guard(s.lock);
  const Stream* stream = s.timeline.stream(handle);
  return stream ? answer(s.timeline.stream_tail(*stream)) : QueryResult::unknown;
}

QueryResult query_event(const void* handle) {
  Simulator& s = simulator();
  std::lock_guard guard(s.lock);
  const Event* event = s.timeline.event(handle);
  return event ? answer(event->recorded ? event->time_ns : 0) : QueryResult::unknown;
}

}  // namespace zerostall::simgpu
