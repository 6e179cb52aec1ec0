// How a recording learns of processes that could not be traced: a small file beside the growing traces that `record`
// makes and every tracer marks. Its room is taken beforehand and it is written through a mapping: that works on a full
// disk and under a file size limit.
#pragma once
#include <atomic>
#include <cstdint>

namespace zerostall {

inline constexpr const char* kAttendanceName = ".attendance";

struct Attendance {
  std::atomic<std::uint32_t> began;   // processes that made a CUDA call
  std::atomic<std::uint32_t> failed;  // of them, those that could not create a trace
};
static_assert(sizeof(Attendance) == 8 && std::atomic<std::uint32_t>::is_always_lock_free);

}  // namespace zerostall
