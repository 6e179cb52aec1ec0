// The virtual host clock of the process, in nanoseconds. Host time advances by the modelled cost of calls and by
// waiting; real time plays no part, so the same program gives the same timeline as long as one thread at a time calls
// CUDA. Thread-safe.
#pragma once
#include <atomic>
#include <cstdint>

namespace zerostall::simgpu {

class VirtualClock {
 public:
  // Starts at one second, so that 0 can keep its meaning "no time".
  std::int64_t now() const { return now_.load(std::memory_order_relaxed); }

  // The host spends `ns` (>= 0). Returns the new time.
  std::int64_t advance(std::int64_t ns) { return now_.fetch_add(ns, std::memory_order_relaxed) + ns; }

  // The host blocks until `time` without sleeping; no effect if that has passed.
  void wait_until(std::int64_t time) {
    std::int64_t seen = now();
    while (seen < time && !now_.compare_exchange_weak(seen, time, std::memory_order_relaxed)) {
    }
  }

  // A stamp no other stamp equals: reading the clock costs one nanosecond.
  std::int64_t stamp() { return advance(1); }

 private:
  std::atomic<std::int64_t> now_{1'000'000'000};
};

}  // namespace zerostall::simgpu
