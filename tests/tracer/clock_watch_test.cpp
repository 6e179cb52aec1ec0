// A clock that is set during a recording is noticed, one that is slewed is not.
#include "profiler/tracer/clock_watch.h"

#include <gtest/gtest.h>

namespace zerostall::tracer {
namespace {

constexpr std::int64_t kMs = 1'000'000, kSecond = 1'000 * kMs;

TEST(ClockWatch, TheFirstReadingTellsNothing) {
  ClockWatch watch;
  EXPECT_EQ(watch.step_since_last({1'700'000'000 * kSecond, 5 * kSecond, 100}), std::nullopt);
}

TEST(ClockWatch, TellsAStepForwardAndOneBackOnce) {
  ClockWatch watch;
  watch.step_since_last({100 * kSecond, 5 * kSecond, 100});
  EXPECT_EQ(watch.step_since_last({101 * kSecond, 6 * kSecond, 100}), std::nullopt);
  EXPECT_EQ(watch.step_since_last({112 * kSecond, 7 * kSecond, 100}), 10 * kSecond);
  EXPECT_EQ(watch.step_since_last({113 * kSecond, 8 * kSecond, 100}), std::nullopt);
  EXPECT_EQ(watch.step_since_last({113 * kSecond, 9 * kSecond, 100}), -kSecond);
}

TEST(ClockWatch, AMillisecondIsNoStepAndMoreIs) {
  ClockWatch watch;
  watch.step_since_last({100 * kSecond, 5 * kSecond, 0});
  EXPECT_EQ(watch.step_since_last({101 * kSecond + kMs, 6 * kSecond, 0}), std::nullopt);
  EXPECT_EQ(watch.step_since_last({102 * kSecond + kMs + 1, 7 * kSecond, 0}), kMs + 1)
      << "measured from where it was first seen: many small steps add up";
}

TEST(ClockWatch, AnInterruptedReadingTellsNothing) {
  ClockWatch watch;
  watch.step_since_last({100 * kSecond, 5 * kSecond, 100});
  EXPECT_EQ(watch.step_since_last({111 * kSecond, 6 * kSecond, 300'000}), std::nullopt);
  EXPECT_EQ(watch.step_since_last({112 * kSecond, 7 * kSecond, 100}), 10 * kSecond) << "the next one does";
}

TEST(ClockWatch, ReadsBothClocksOfThisMachine) {
  ClockWatch watch;
  const ClockPair first = read_clocks(), second = read_clocks();
  EXPECT_GE(second.monotonic_ns, first.monotonic_ns);
  EXPECT_GT(first.real_ns, 1'600'000'000 * kSecond);
  EXPECT_GE(first.width_ns, 0);
  watch.step_since_last(first);
  EXPECT_EQ(watch.step_since_last(second), std::nullopt);
}

}  // namespace
}  // namespace zerostall::tracer
