#include "profiler/tracer/clock_watch.h"

#include <time.h>

#include <cstdlib>

namespace zerostall::tracer {
namespace {

constexpr int kReadings = 5;
constexpr std::int64_t kCloseEnough_ns = 2'000;

std::int64_t now_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

ClockPair read_clocks() {
  ClockPair best;
  for (int i = 0; i < kReadings; ++i) {
    const std::int64_t before = now_ns(CLOCK_MONOTONIC);
    const std::int64_t real = now_ns(CLOCK_REALTIME);
    const std::int64_t width = now_ns(CLOCK_MONOTONIC) - before;
    if (i == 0 || width < best.width_ns) best = {real, before + width / 2, width};
    if (best.width_ns <= kCloseEnough_ns) break;
  }
  return best;
}

std::optional<std::int64_t> ClockWatch::step_since_last(const ClockPair& now) {
  if (now.width_ns > kWidest_ns) return std::nullopt;
  const std::int64_t offset = now.real_ns - now.monotonic_ns;
  const std::int64_t before = offset_ns_.value_or(offset);
  const std::int64_t step = offset - before;
  if (offset_ns_ && std::llabs(step) <= kSmallestStep_ns) return std::nullopt;
  offset_ns_ = offset;
  if (step == 0) return std::nullopt;
  return step;
}

}  // namespace zerostall::tracer
