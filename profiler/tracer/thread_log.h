// The records of one thread: an encoder into the segment of the trace file that the thread has. Used by that thread
// alone, but for `segment`, which is changed under the collector's lock so that others can seal it.
#pragma once
#include <atomic>
#include <cstdint>
#include <vector>

#include "profiler/trace/record_codec.h"

namespace zerostall::tracer {

struct ThreadLog {
  std::uint8_t* cursor = nullptr;  // where the next record goes
  std::uint8_t* limit = nullptr;
  std::uint8_t* begin = nullptr;  // of the segment's records
  format::SegmentHeader* segment = nullptr;
  format::CodecState state;
  std::uint8_t depth = 0;    // recorded calls this thread is in
  std::uint8_t counted = 0;  // those of them that the analysis counts
  std::uint32_t window = 0;  // number of the window that these are of: calls in flight at its end never return here
  bool busy = false;         // this thread is writing: what a signal handler wants to record now is lost
  std::uint32_t calls_to_sample = 16;  // down to the next call whose cost is measured (own_cost.h)
  std::uint32_t sampling = 0;          // what that number follows from
  std::int64_t entered_ns = -1;        // cost of its first callback; -1 = the call that is going on is not measured
  std::uint32_t thread = 0;
  std::uint64_t owner = 0;
  std::uint32_t next_sequence = 0;
  std::size_t next_bytes = 0;               // of the next segment
  std::vector<format::MarkRecord> pending;  // made before the file was there; under the collector's lock

  std::size_t room() const { return static_cast<std::size_t>(limit - cursor); }
  void commit(std::uint8_t* end) {
    cursor = end;
    std::atomic_ref(segment->committed_bytes).store(static_cast<std::uint32_t>(end - begin), std::memory_order_release);
  }
};

}  // namespace zerostall::tracer
