// Whether somebody set the clock during a recording. CUPTI stamps with CLOCK_REALTIME unless told otherwise, and NTP or
// a person may step that: times before and after are then not comparable.
#pragma once
#include <cstdint>
#include <optional>

namespace zerostall::tracer {

// Both clocks of one moment, in nanoseconds, and how long reading them took: the moment is known no better than that.
struct ClockPair {
  std::int64_t real_ns = 0;
  std::int64_t monotonic_ns = 0;
  std::int64_t width_ns = 0;
};

// The closest of a few readings.
ClockPair read_clocks();

// Slewing, as NTP does for small errors, moves both clocks alike and is no step. Not for use by two threads at once.
class ClockWatch {
 public:
  static constexpr std::int64_t kSmallestStep_ns = 1'000'000;
  static constexpr std::int64_t kWidest_ns = 200'000;  // a reading that was interrupted for longer tells nothing

  // Nanoseconds by which the real clock was set since the last call that could tell; nullopt = it was not, or this
  // reading cannot tell. The first call only remembers.
  std::optional<std::int64_t> step_since_last(const ClockPair& now);

 private:
  std::optional<std::int64_t> offset_ns_;
};

}  // namespace zerostall::tracer
