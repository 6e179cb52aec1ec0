// What a program under test has done, told out of band: a file that program and test both map, so that it is complete
// whatever ends the program.
#pragma once
#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace zerostall::testing {

inline constexpr const char* kProgressVariable = "ZEROSTALL_TEST_PROGRESS";
inline constexpr std::uint32_t kMostThreads = 64;
inline constexpr std::uint64_t kMostEvents = std::uint64_t{1} << 18;  // per thread and kind

// Completed calls or marks of one thread, and when each was complete (CLOCK_MONOTONIC, nanoseconds).
struct Completed {
  std::atomic<std::uint64_t> count;
  std::int64_t at_ns[kMostEvents];

  bool add(std::int64_t now_ns) {
    const std::uint64_t n = count.load(std::memory_order_relaxed);
    if (n == kMostEvents) return false;
    at_ns[n] = now_ns;
    count.store(n + 1, std::memory_order_release);
    return true;
  }
};

struct ThreadProgress {
  std::atomic<std::uint32_t> id;  // the system's; 0 = slot not used
  Completed calls, marks;
};

struct Progress {
  std::atomic<std::uint32_t> threads;  // slots taken
  std::atomic<std::uint64_t> waits;    // of all threads: the plain count that most tests need
  ThreadProgress of[kMostThreads];
};

inline std::int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

// Sparse: only what is written takes room. Null where it cannot be mapped.
inline Progress* map_progress(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return nullptr;
  void* data = MAP_FAILED;
  if (::ftruncate(file, sizeof(Progress)) == 0)
    data = ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  return data == MAP_FAILED ? nullptr : static_cast<Progress*>(data);
}

// Of a program under test; null = nobody wants to know.
inline Progress* own_progress() {
  static Progress* progress = [] {
    const char* path = std::getenv(kProgressVariable);
    return path != nullptr && *path != '\0' ? map_progress(path) : nullptr;
  }();
  return progress;
}

}  // namespace zerostall::testing
