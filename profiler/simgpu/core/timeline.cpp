#include "profiler/simgpu/core/timeline.h"

#include <algorithm>
#include <utility>

#include "profiler/base/late_local.h"
#include "profiler/simgpu/core/capture.h"
#include "profiler/simgpu/core/fork.h"
#include "profiler/simgpu/core/simulator.h"

namespace zerostall::simgpu {

constinit thread_local bool t_null_is_per_thread = false;

namespace {

thread_local Span t_queue_wait{};

struct ThreadStreams {
  std::vector<Stream*> own;
  ~ThreadStreams() {
    if (own.empty() || g_forked) return;
    Simulator& s = simulator();
    std::lock_guard guard(s.lock);
    for (Stream* stream : own) {
      forget_capture(*stream);
      s.timeline.destroy_stream(stream);
    }
  }
};

}  // namespace

Span take_queue_wait() { return std::exchange(t_queue_wait, {}); }

Timeline::Timeline(VirtualClock& clock, std::int64_t queue_length)
    : clock_(clock), queue_length_(static_cast<std::size_t>(queue_length)) {
  for (int d = 0; d < kMostDevices; ++d) {
    Stream& legacy = legacy_stream(d);
    legacy.id = 7;
    legacy.device = d;
    legacy.context = static_cast<std::uint32_t>(d) + 1;
    legacy.legacy = true;
  }
}

Stream* Timeline::create_stream(int device, std::uint32_t context, bool non_blocking, int priority) {
  auto stream = std::make_unique<Stream>();
  stream->id = next_stream_++;
  stream->device = device;
  stream->context = context;
  stream->non_blocking = non_blocking;
  stream->priority = priority;
  Stream* raw = stream.get();
  streams_[raw] = std::move(stream);
  return raw;
}

// One for each device the thread used; they go with the thread.
Stream* Timeline::per_thread_stream(int device) {
  ThreadStreams& mine = late_local<ThreadStreams>();
  for (Stream* stream : mine.own)
    if (stream->device == device) return stream;
  Stream* stream = create_stream(device, static_cast<std::uint32_t>(device) + 1, false, 0);
  stream->per_thread = true;
  mine.own.push_back(stream);
  return stream;
}

bool Timeline::destroy_stream(const void* stream) { return streams_.erase(stream) != 0; }

Stream* Timeline::stream(const void* handle) {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  if (value <= 2) {  // null, cudaStreamLegacy, cudaStreamPerThread
    if (device_count() == 0) return nullptr;
    const bool per_thread = value == 2 || (value == 0 && t_null_is_per_thread);
    return per_thread ? per_thread_stream(current_device()) : &legacy_stream(current_device());
  }
  const auto it = streams_.find(handle);
  return it == streams_.end() ? nullptr : it->second.get();
}

void Timeline::reset_device(int device) {
  for (auto& [handle, stream] : streams_)
    if (stream->device == device) forget_capture(*stream);
  std::erase_if(streams_, [&](const auto& s) { return s.second->device == device && !s.second->per_thread; });
  std::erase_if(events_, [&](const auto& e) { return e.second->device == device; });
}

Event* Timeline::create_event(int device, bool timing) {
  auto event = std::make_unique<Event>();
  event->id = next_event_++;
  event->device = device;
  event->timing = timing;
  Event* raw = event.get();
  events_[raw] = std::move(event);
  return raw;
}

bool Timeline::destroy_event(const void* event) { return events_.erase(event) != 0; }

Event* Timeline::event(const void* handle) {
  const auto it = events_.find(handle);
  return it == events_.end() ? nullptr : it->second.get();
}

std::int64_t Timeline::implicit_order(const Stream& stream) const {
  if (stream.legacy) return lane(stream).blocking_tail;
  return stream.non_blocking ? 0 : lane(stream).legacy.tail_ns;
}

// The stream is busy until `end_ns`.
void Timeline::extend(Stream& stream, std::int64_t end_ns) {
  Lane& l = lane(stream);
  stream.tail_ns = std::max(stream.tail_ns, end_ns);
  l.tail = std::max(l.tail, end_ns);
  if (!stream.legacy && !stream.non_blocking) l.blocking_tail = std::max(l.blocking_tail, end_ns);
}

std::int64_t Timeline::begin_group(Stream& stream, std::int64_t latency_ns) {
  auto& queued = stream.queued;
  const std::int64_t now = clock_.now();
  while (!queued.empty() && queued.front() <= now) queued.pop_front();
  if (queued.size() >= queue_length_) {
    clock_.wait_until(queued.front());
    queued.pop_front();
    t_queue_wait = {now, clock_.now()};
  }
  ++stream.operations;
  return std::max({clock_.now() + latency_ns, stream.tail_ns, implicit_order(stream)});
}

Span Timeline::place(int device, std::int64_t begin_ns, std::int64_t duration_ns, Engine engine) {
  std::int64_t& engine_free = lanes_[static_cast<std::size_t>(device)].engine_free[static_cast<std::size_t>(engine)];
  if (engine != Engine::compute) begin_ns = std::max(begin_ns, engine_free);
  const std::int64_t end = begin_ns + duration_ns;
  engine_free = std::max(engine_free, end);
  return {begin_ns, end};
}

void Timeline::end_group(Stream& stream, std::int64_t end_ns) {
  extend(stream, end_ns);
  stream.queued.push_back(end_ns);
}

Span Timeline::enqueue(Stream& stream, std::int64_t duration_ns, std::int64_t latency_ns, Engine engine) {
  const std::int64_t begin = begin_group(stream, latency_ns);
  const Span span = place(stream.device, begin, duration_ns, engine);
  end_group(stream, span.end_ns);
  return span;
}

// Records and waits are operations of the stream: what follows them waits for what they waited for.
void Timeline::record(Event& event, Stream& stream) {
  event.recorded = true;
  event.time_ns = std::max({clock_.now(), stream.tail_ns, implicit_order(stream)});
  extend(stream, event.time_ns);
}

void Timeline::wait_event(Stream& stream, const Event& event) {
  extend(stream, std::max({event.recorded ? event.time_ns : 0, stream.tail_ns, implicit_order(stream)}));
}

std::int64_t Timeline::device_tail(int device) const { return lanes_[static_cast<std::size_t>(device)].tail; }

std::int64_t Timeline::stream_tail(const Stream& stream) const {
  return std::max(stream.tail_ns, stream.legacy ? lane(stream).blocking_tail : 0);
}

}  // namespace zerostall::simgpu
