// The virtual host clock of the process, in nanoseconds. Host time advances by the modelled cost of calls and by
// waiting; real time plays no part, so the same program gives the same timeline as long as one thread at a time calls
// CUDA. The clock stands for the threads that feed the device: once one has queued work, the calls of threads that
// never did so (watchdogs, loaders) cost nothing, for they run beside it at moments that only real time decides.
// Thread-safe.
#pragma once
#include <atomic>
#include <cstdint>

namespace zerostall::simgpu {

extern constinit thread_local bool t_feeds_device;
extern std::atomic<bool> g_device_fed;

// The calling thread has queued work.
inline void note_feeding() {
  t_feeds_device = true;
  if (!g_device_fed.load(std::memory_order_relaxed)) g_device_fed.store(true, std::memory_order_relaxed);
}

// The calling thread never queued work, but another one has.
inline bool only_watches() { return !t_feeds_device && g_device_fed.load(std::memory_order_relaxed); }

class VirtualClock {
 public:
  // Starts at one second, so that 0 can keep its meaning "no time".
  std::int64_t now() const { return now_.load(std::memory_order_relaxed); }

  // The host spends `ns` (>= 0); no effect on a thread that only watches. Returns the new time.
  std::int64_t advance(std::int64_t ns) {
    if (only_watches()) return now();
    return now_.fetch_add(ns, std::memory_order_relaxed) + ns;
  }

  // The host blocks until `time` without sleeping; no effect if that has passed.
  void wait_until(std::int64_t time) {
    std::int64_t seen = now();
    while (seen < time && !now_.compare_exchange_weak(seen, time, std::memory_order_relaxed)) {
    }
  }

  // A stamp no other stamp equals: reading the clock costs one nanosecond. (Stamps of threads that only watch do.)
  std::int64_t stamp() { return advance(1); }

 private:
  std::atomic<std::int64_t> now_{1'000'000'000};
};

}  // namespace zerostall::simgpu
