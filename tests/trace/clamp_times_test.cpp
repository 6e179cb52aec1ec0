// Impossible stamps: nothing overflows behind build_trace, whatever record they stand in.
#include "profiler/trace/clamp_times.h"

#include <gtest/gtest.h>

#include <limits>

#include "profiler/trace/build_trace.h"

namespace zerostall {
namespace {

constexpr Nanos kFirst = std::numeric_limits<Nanos>::min(), kLast = std::numeric_limits<Nanos>::max();

TEST(ClampTimes, StampsOfTodayAndOfAClockFromZeroStay) {
  RawTrace raw;
  constexpr Nanos kToday = 1'800'000'000'000'000'000;
  raw.calls = {{.begin_ns = kToday, .end_ns = kToday + 5}, {.begin_ns = -3, .end_ns = 0}};
  raw.gpu_ops = {{.begin_ns = kEarliestStamp, .end_ns = kLatestStamp}};
  clamp_times(raw);
  EXPECT_EQ(raw.calls[0].begin_ns, kToday);
  EXPECT_EQ(raw.calls[1].begin_ns, -3);
  EXPECT_EQ(raw.gpu_ops[0].end_ns, kLatestStamp);
  EXPECT_TRUE(raw.oddities.empty());
}

TEST(ClampTimes, EveryKindOfRecordIsMadePossibleAndCountedOnce) {
  RawTrace raw;
  raw.calls = {{.begin_ns = kFirst, .end_ns = kLast}, {.begin_ns = 1, .end_ns = kLatestStamp + 1}};
  raw.overheads = {{.begin_ns = kLast, .end_ns = 0}};
  raw.marks = {{.time_ns = kFirst}};
  raw.notes = {{.time_ns = kLast}};
  raw.gpu_ops = {{.begin_ns = 5, .end_ns = kLast}};
  clamp_times(raw);
  EXPECT_EQ(raw.calls[0].begin_ns, kEarliestStamp);
  EXPECT_EQ(raw.calls[0].end_ns, kLatestStamp);
  EXPECT_EQ(raw.calls[1].begin_ns, 1);
  EXPECT_EQ(raw.calls[1].end_ns, kLatestStamp);
  EXPECT_EQ(raw.overheads[0].begin_ns, kLatestStamp);
  EXPECT_EQ(raw.marks[0].time_ns, kEarliestStamp);
  EXPECT_EQ(raw.notes[0].time_ns, kLatestStamp);
  EXPECT_EQ(raw.gpu_ops[0].begin_ns, 0) << "no time at all, rather than a wrong one";
  EXPECT_EQ(raw.oddities.at("impossible_times"), 6);
}

TEST(ClampTimes, BuildTraceDoesItAndLeavesSuchGpuWorkOutOfTimes) {
  RawTrace raw;
  raw.calls = {{.begin_ns = kFirst, .end_ns = kLast, .correlation = 1}};
  raw.gpu_ops = {{.begin_ns = kFirst, .end_ns = kLast, .correlation = 1}};
  const Trace trace = build_trace(std::move(raw));
  EXPECT_EQ(trace.calls[0].end_ns - trace.calls[0].begin_ns, kLast);
  EXPECT_TRUE(trace.gpu_ops[0].bad_time);
  EXPECT_EQ(trace.oddities.at("impossible_times"), 2);
  EXPECT_EQ(trace.oddities.at("bad_times"), 1);
}

}  // namespace
}  // namespace zerostall
