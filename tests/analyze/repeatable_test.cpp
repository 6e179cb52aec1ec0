#include "profiler/analyze/repeatable.h"

#include <gtest/gtest.h>

#include "tests/trace/trace_builder.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;

std::optional<bool> repeatable(TraceBuilder& t) {
  const Trace trace = t.trace();
  return times_repeatable(trace, split_steps(trace));
}

TEST(TimesRepeatable, OneThreadAtATimeIs) {
  TraceBuilder t;
  for (int n = 0; n < 3; ++n)
    t.step(n, [&] {
      t.item();
      t.on_thread(2).launch();  // as the autograd thread does
      t.on_thread(100).sync();
    });
  EXPECT_EQ(repeatable(t), true);
}

TEST(TimesRepeatable, OverlappingCallsOfTwoThreadsAreNot) {
  TraceBuilder t;
  t.launch();
  const std::int64_t before = t.now_ns;
  t.sync();
  t.on_thread(2);
  t.now_ns = before + 1;
  t.launch();
  EXPECT_EQ(repeatable(t), false);
}

TEST(TimesRepeatable, AThreadBesideTheStepIsNot) {
  TraceBuilder t;
  t.step(0, [&] {
    t.launch();
    t.on_thread(2).call("cudaHostAlloc_v3020");  // as a thread that pins memory does
    t.on_thread(100).sync();
  });
  EXPECT_EQ(repeatable(t), false);
}

void ask(TraceBuilder& t, int times) {
  const std::int64_t before = t.now_ns;
  for (int i = 0; i < times; ++i) {
    t.now_ns = before;  // a thread that only watches does not move the clock
    t.on_thread(2).call("cudaEventQuery_v3020");
  }
  t.now_ns = before;
}

TEST(TimesRepeatable, AThreadThatOnlyAsksBesideTheStepIs) {
  TraceBuilder t;
  t.step(0, [&] {
    t.launch();
    ask(t, 5);
    t.on_thread(100).sync();
  });
  EXPECT_EQ(repeatable(t), true);
}

TEST(TimesRepeatable, AThreadThatAskedUntilTheClockJumpedIsNot) {
  TraceBuilder t;
  t.step(0, [&] {
    t.launch();
    ask(t, 1000);
    t.on_thread(100).sync();
  });
  EXPECT_EQ(repeatable(t), false);
}

TEST(TimesRepeatable, TheHostsOwnTimeIsNot) {
  TraceBuilder t;
  t.meta = R"({"clock": "modelled", "simulated_model": "h200", "host_clock": "cpu"})";
  t.launch();
  EXPECT_EQ(repeatable(t), false);
}

TEST(TimesRepeatable, NobodyAsksItOfMeasuredTimes) {
  TraceBuilder t;
  t.meta = R"({"clock": "measured"})";
  t.launch();
  EXPECT_EQ(repeatable(t), std::nullopt);
}

}  // namespace
}  // namespace zerostall
