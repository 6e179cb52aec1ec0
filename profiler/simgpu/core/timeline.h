// When things happen on the simulated devices: streams, events, copy engines, launch queues. Durations are known when
// work is queued, so start and end are computed at once; the device needs no thread. Ordering rules are those of the
// CUDA programming guide: FIFO per stream; a device's legacy default stream and its blocking streams wait for each
// other; non-blocking streams do not. Compute work of different streams overlaps freely (contention is not modelled);
// each device has one engine per copy direction. Not thread-safe: the caller holds Simulator::lock.
#pragma once
#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "profiler/simgpu/core/clock.h"
#include "profiler/simgpu/core/context.h"

namespace zerostall::simgpu {

enum class Engine : std::uint8_t { compute, upload, download };

struct Capture;
struct Node;

struct Stream {
  std::uint32_t id = 0;  // as CUPTI numbers streams
  int device = 0;
  std::uint32_t context = 1;  // CUPTI's id
  bool legacy = false;
  bool per_thread = false;
  bool non_blocking = false;
  int priority = 0;
  std::int64_t tail_ns = 0;         // when the last queued work ends
  std::deque<std::int64_t> queued;  // end times of work not known to be finished; at most the launch queue's length
  std::uint64_t operations = 0;     // queued so far
  std::vector<cudaLaunchAttribute> attributes;  // kept and handed back; they change no times
  Capture* capture = nullptr;                   // while the stream builds a graph
  std::vector<Node*> capture_tail;              // what its next captured operation depends on
};

struct Event {
  std::uint32_t id = 0;
  int device = 0;
  bool recorded = false;
  bool timing = true;
  bool blocking_sync = false, interprocess = false;
  std::int64_t time_ns = 0;          // when the work before the record ends
  std::uint64_t capture = 0;         // id of the capture it was last recorded in, 0 = none
  std::vector<Node*> capture_nodes;  // the work before the record, within that capture
};

struct Span {
  std::int64_t begin_ns, end_ns;
};

// Within the calling thread, the null stream is the per-thread one while this lives: entry points with the suffix
// _ptds or _ptsz.
extern constinit thread_local bool t_null_is_per_thread;
class DefaultStreamPerThread {
 public:
  DefaultStreamPerThread() : before_(t_null_is_per_thread) { t_null_is_per_thread = true; }
  ~DefaultStreamPerThread() { t_null_is_per_thread = before_; }
  DefaultStreamPerThread(const DefaultStreamPerThread&) = delete;
  DefaultStreamPerThread& operator=(const DefaultStreamPerThread&) = delete;

 private:
  bool before_;
};

// The time this thread has last spent waiting for a place in a full launch queue, once; empty if it did not.
Span take_queue_wait();

class Timeline {
 public:
  Timeline(VirtualClock& clock, std::int64_t queue_length);

  Stream* create_stream(int device, std::uint32_t context, bool non_blocking, int priority);
  bool destroy_stream(const void* stream);  // false: unknown. Queued work still finishes
  // nullptr: unknown. null, cudaStreamLegacy and cudaStreamPerThread mean those of the current device and thread; null
  // is the per-thread stream within calls of programs compiled that way (DefaultStreamPerThread).
  Stream* stream(const void* handle);
  Stream& legacy_stream(int device) { return lanes_[static_cast<std::size_t>(device)].legacy; }
  void reset_device(int device);  // forgets its streams and events

  Event* create_event(int device, bool timing);
  bool destroy_event(const void* event);
  Event* event(const void* handle);  // nullptr: unknown

  // Blocks the host (clock) while the stream's launch queue is full, then queues work of `duration_ns` that can start
  // `latency_ns` after now.
  Span enqueue(Stream& stream, std::int64_t duration_ns, std::int64_t latency_ns, Engine engine);
  void record(Event& event, Stream& stream);
  void wait_event(Stream& stream, const Event& event);

  // Graph launches place their work themselves: `begin` after the stream's order and a free queue slot, `end` with the
  // time their last node ends.
  std::int64_t begin_group(Stream& stream, std::int64_t latency_ns);
  void end_group(Stream& stream, std::int64_t end_ns);
  Span place(int device, std::int64_t begin_ns, std::int64_t duration_ns, Engine engine);

  std::int64_t device_tail(int device = current_device()) const;  // when all work queued on it has ended
  std::int64_t stream_tail(const Stream& stream) const;

 private:
  struct Lane {  // of one device
    Stream legacy;
    std::array<std::int64_t, 3> engine_free{};
    std::int64_t blocking_tail = 0;  // latest end on any blocking stream other than the legacy one
    std::int64_t tail = 0;           // latest end anywhere
  };
  Lane& lane(const Stream& s) { return lanes_[static_cast<std::size_t>(s.device)]; }
  const Lane& lane(const Stream& s) const { return lanes_[static_cast<std::size_t>(s.device)]; }
  Stream* per_thread_stream(int device);
  std::int64_t implicit_order(const Stream& stream) const;
  void extend(Stream& stream, std::int64_t end_ns);

  VirtualClock& clock_;
  std::size_t queue_length_;
  std::array<Lane, kMostDevices> lanes_;
  std::unordered_map<const void*, std::unique_ptr<Stream>> streams_;
  std::unordered_map<const void*, std::unique_ptr<Event>> events_;
  std::uint32_t next_stream_ = 13, next_event_ = 1;  // CUPTI numbers a process's own streams from 13
};

}  // namespace zerostall::simgpu
