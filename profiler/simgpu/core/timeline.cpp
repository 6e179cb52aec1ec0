#include "profiler/simgpu/core/timeline.h"

#include <algorithm>

namespace zerostall::simgpu {

Timeline::Timeline(VirtualClock& clock, std::int64_t queue_length)
    : clock_(clock), queue_length_(static_cast<std::size_t>(queue_length)) {
  legacy_.id = 7;
  legacy_.legacy = true;
  per_thread_.id = 8;
}

Stream* Timeline::create_stream(bool non_blocking, int priority) {
  auto stream = std::make_unique<Stream>();
  stream->id = next_stream_++;
  stream->non_blocking = non_blocking;
  stream->priority = priority;
  Stream* raw = stream.get();
  streams_[raw] = std::move(stream);
  return raw;
}

bool Timeline::destroy_stream(Stream* stream) { return streams_.erase(stream) != 0; }

Stream* Timeline::stream(const void* handle) {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  if (value <= 1) return &legacy_;      // null or cudaStreamLegacy
  if (value == 2) return &per_thread_;  // cudaStreamPerThread: one for all threads so far
  const auto it = streams_.find(handle);
  return it == streams_.end() ? nullptr : it->second.get();
}

Event* Timeline::create_event(bool timing) {
  auto event = std::make_unique<Event>();
  event->id = next_event_++;
  event->timing = timing;
  Event* raw = event.get();
  events_[raw] = std::move(event);
  return raw;
}

bool Timeline::destroy_event(Event* event) { return events_.erase(event) != 0; }

Event* Timeline::event(const void* handle) {
  const auto it = events_.find(handle);
  return it == events_.end() ? nullptr : it->second.get();
}

std::int64_t Timeline::implicit_order(const Stream& stream) const {
  if (stream.legacy) return blocking_tail_;
  return stream.non_blocking ? 0 : legacy_.tail_ns;
}

Span Timeline::enqueue(Stream& stream, std::int64_t duration_ns, std::int64_t latency_ns, Engine engine) {
  auto& queued = stream.queued;
  while (!queued.empty() && queued.front() <= clock_.now()) queued.pop_front();
  if (queued.size() >= queue_length_) {
    clock_.wait_until(queued.front());
    queued.pop_front();
  }
  std::int64_t begin = std::max({clock_.now() + latency_ns, stream.tail_ns, implicit_order(stream)});
  std::int64_t& engine_free = engine_free_[static_cast<int>(engine)];
  if (engine != Engine::compute) begin = std::max(begin, engine_free);
  const std::int64_t end = begin + duration_ns;
  engine_free = std::max(engine_free, end);
  stream.tail_ns = end;
  tail_ = std::max(tail_, end);
  if (!stream.legacy && !stream.non_blocking) blocking_tail_ = std::max(blocking_tail_, end);
  queued.push_back(end);
  return {begin, end};
}

void Timeline::record(Event& event, Stream& stream) {
  event.recorded = true;
  event.time_ns = std::max({clock_.now(), stream.tail_ns, implicit_order(stream)});
}

void Timeline::wait_event(Stream& stream, const Event& event) {
  if (event.recorded) stream.tail_ns = std::max(stream.tail_ns, event.time_ns);
}

std::int64_t Timeline::device_tail() const { return tail_; }

std::int64_t Timeline::stream_tail(const Stream& stream) const { return stream.tail_ns; }

}  // namespace zerostall::simgpu
