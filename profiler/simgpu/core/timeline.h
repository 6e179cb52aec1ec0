// When things happen on the simulated device: streams, events, copy engines, the launch queue. Durations are known when
// work is queued, so start and end are computed at once; the device needs no thread. Ordering rules are those of the
// CUDA programming guide: FIFO per stream; the legacy default stream and blocking streams wait for each other;
// non-blocking streams do not. Compute work of different streams overlaps freely (contention is not modelled); each
// copy direction has one engine. Not thread-safe: the caller holds Simulator::lock.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "profiler/simgpu/core/clock.h"

namespace zerostall::simgpu {

enum class Engine : std::uint8_t { compute, upload, download };

struct Stream {
  std::uint32_t id = 0;  // as CUPTI numbers streams
  bool legacy = false;
  bool non_blocking = false;
  int priority = 0;
  std::int64_t tail_ns = 0;         // when the last queued work ends
  std::deque<std::int64_t> queued;  // end times of work not known to be finished; at most the launch queue's length
};

struct Event {
  std::uint32_t id = 0;
  bool recorded = false;
  bool timing = true;
  std::int64_t time_ns = 0;  // when the work before the record ends
};

struct Span {
  std::int64_t begin_ns, end_ns;
};

class Timeline {
 public:
  Timeline(VirtualClock& clock, std::int64_t queue_length);

  Stream* create_stream(bool non_blocking, int priority);
  bool destroy_stream(Stream* stream);  // false: unknown. Queued work still finishes
  Stream* stream(const void* handle);   // null, cudaStreamLegacy and cudaStreamPerThread included; nullptr: unknown

  Event* create_event(bool timing);
  bool destroy_event(Event* event);
  Event* event(const void* handle);  // nullptr: unknown

  // Blocks the host (clock) while the stream's launch queue is full, then queues work of `duration_ns` that can start
  // `latency_ns` after now.
  Span enqueue(Stream& stream, std::int64_t duration_ns, std::int64_t latency_ns, Engine engine);
  void record(Event& event, Stream& stream);
  void wait_event(Stream& stream, const Event& event);
  std::int64_t device_tail() const;  // when all queued work has ended
  std::int64_t stream_tail(const Stream& stream) const;

 private:
  std::int64_t implicit_order(const Stream& stream) const;

  VirtualClock& clock_;
  std::size_t queue_length_;
  Stream legacy_, per_thread_;
  std::unordered_map<const void*, std::unique_ptr<Stream>> streams_;
  std::unordered_map<const void*, std::unique_ptr<Event>> events_;
  std::int64_t engine_free_[3] = {0, 0, 0};
  std::int64_t blocking_tail_ = 0;                   // latest end on any blocking stream other than the legacy one
  std::int64_t tail_ = 0;                            // latest end anywhere
  std::uint32_t next_stream_ = 13, next_event_ = 1;  // CUPTI numbers a process's own streams from 13
};

}  // namespace zerostall::simgpu
