#include "profiler/analyze/gpu_gaps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/trace/trace_builder.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;

struct Found {
  Trace trace;
  Steps steps;
  std::vector<Wait> waits;
  std::optional<std::vector<GpuGap>> gaps;
};

Found find(TraceBuilder& t) {
  Found found;
  found.trace = t.trace();
  found.steps = split_steps(found.trace);
  found.waits = find_waits(found.trace);
  if (auto gaps = find_gpu_gaps(found.trace, found.steps, found.waits)) found.gaps = std::move(gaps->gaps);
  return found;
}

constexpr const char* kMeasured = R"({"tool": "test", "clock": "measured"})";

TEST(GpuGaps, NameTheWaitInWhichTheDeviceRanDry) {
  TraceBuilder t;
  t.launch();
  t.item();
  t.now_ns += 5'000;  // Python
  t.launch();
  const Found found = find(t);
  ASSERT_EQ(found.gaps->size(), 1u);
  const GpuGap& gap = found.gaps->front();
  EXPECT_EQ(gap.cause, GapCause::after_wait);
  EXPECT_EQ(gap.wait, 0u);
  EXPECT_EQ(gap.begin_ns, found.trace.gpu_ops[1].end_ns);
  EXPECT_EQ(gap.end_ns, found.trace.gpu_ops[2].begin_ns);
  EXPECT_EQ(gap.step, std::nullopt);
  EXPECT_EQ(gap.avoidable_ns, gap.end_ns - gap.begin_ns);
}

// The device had been idle before: that wait changed nothing.
TEST(GpuGaps, DoNotBlameAWaitThatBeganWhenTheDeviceWasIdle) {
  TraceBuilder t;
  t.launch();
  t.now_ns += 50'000;
  t.sync();
  t.now_ns += 5'000;
  t.launch();
  const Found found = find(t);
  ASSERT_EQ(found.gaps->size(), 1u);
  EXPECT_EQ(found.gaps->front().cause, GapCause::late_launch);
  EXPECT_FALSE(found.gaps->front().wait);
}

TEST(GpuGaps, OfQueuedWorkAreNotTheHosts) {
  TraceBuilder t;
  t.launch();
  t.launch();
  t.launch();
  t.gpu_ops[1].begin_ns += 20'000;  // waits for another device, say
  t.gpu_ops[1].end_ns += 20'000;
  t.gpu_ops[2].begin_ns = t.gpu_ops[1].end_ns + 1'000;  // the device's own
  t.gpu_ops[2].end_ns = t.gpu_ops[2].begin_ns + 1'000;
  const Found found = find(t);
  ASSERT_EQ(found.gaps->size(), 1u);
  EXPECT_EQ(found.gaps->front().cause, GapCause::queued);
  EXPECT_EQ(found.gaps->front().end_ns - found.gaps->front().begin_ns, 20'000);
}

TEST(GpuGaps, AreCutAtTheEndsOfSteps) {
  TraceBuilder t;
  t.step(0, [&] {
    t.now_ns += 1'000;
    t.launch();
    t.sync();
    t.now_ns += 7'000;
  });
  t.now_ns += 9'000;
  t.step(1, [&] {
    t.now_ns += 11'000;
    t.launch();
    t.sync();
  });
  const Found found = find(t);
  // Before the first work, behind it in step 0, between the steps, in step 1 before its work and behind it.
  ASSERT_EQ(found.gaps->size(), 5u);
  std::vector<std::optional<std::size_t>> steps;
  for (const GpuGap& gap : *found.gaps) steps.push_back(gap.step);
  EXPECT_THAT(steps, ::testing::ElementsAre(0u, 0u, std::nullopt, 1u, 1u));
  EXPECT_EQ((*found.gaps)[0].begin_ns, found.steps.steps[0].begin_ns);
  EXPECT_EQ((*found.gaps)[0].cause, GapCause::late_launch);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ((*found.gaps)[i].wait, 0u);
  EXPECT_EQ((*found.gaps)[4].wait, 1u);
  for (std::size_t i = 2; i < 4; ++i) EXPECT_EQ((*found.gaps)[i].begin_ns, (*found.gaps)[i - 1].end_ns);
}

TEST(GpuGaps, BehindTheLastWorkOfTheLastStep) {
  TraceBuilder t;
  t.step(0, [&] {
    t.launch();
    t.now_ns += 40'000;
  });
  const Found found = find(t);
  EXPECT_EQ(found.gaps->back().cause, GapCause::no_more_work);
  EXPECT_EQ(found.gaps->back().end_ns, found.steps.steps[0].end_ns);
}

TEST(GpuGaps, HaveNoCauseWhereTheNextWorksLaunchIsNotKnown) {
  TraceBuilder t;
  t.launch();
  t.now_ns += 50'000;
  t.launch();
  t.gpu_ops[1].correlation = 0;
  EXPECT_EQ(find(t).gaps->front().cause, GapCause::unknown);
}

// It held back the launches for both, whichever it was for.
TEST(GpuGaps, OfSeveralDevicesNameTheWaitOfTheThreadThatLaunchedNext) {
  for (const std::uint32_t context : {0u, 1u, 2u}) {
    TraceBuilder t;
    t.launch();
    t.launch();
    t.gpu_ops[1] = t.gpu_ops[0];
    t.gpu_ops[1].correlation += 1;
    t.gpu_ops[1].device = 1;
    t.gpu_ops[1].context = 2;
    t.sync("cudaDeviceSynchronize_v3020").context = context;
    t.now_ns += 20'000;
    t.launch();
    t.launch();
    t.gpu_ops[3].device = 1;
    t.gpu_ops[3].context = 2;
    const Found found = find(t);
    std::vector<bool> named;
    for (const GpuGap& gap : *found.gaps) named.push_back(gap.wait.has_value());
    EXPECT_THAT(named, ::testing::ElementsAre(true, true)) << context;
  }
}

TEST(GpuGaps, AreUnknownWithoutAllRecords) {
  TraceBuilder lost;
  lost.launch();
  lost.note(format::NoteKind::lost_records, "", 3);
  EXPECT_FALSE(find(lost).gaps);
  TraceBuilder cut;
  cut.launch();
  cut.closed = false;
  EXPECT_FALSE(find(cut).gaps);
  TraceBuilder whole;
  whole.launch();
  EXPECT_TRUE(find(whole).gaps);
}

TEST(GpuGaps, AllowForTheClocksOfAGpu) {
  for (const bool measured : {false, true}) {
    TraceBuilder t;
    if (measured) t.meta = kMeasured;
    t.launch();
    t.sync().end_ns -= 3'000;  // the GPU's stamps are late
    t.now_ns += 30'000;
    t.launch();
    const Found found = find(t);
    EXPECT_EQ(found.gaps->front().cause, measured ? GapCause::after_wait : GapCause::late_launch);
  }
}

}  // namespace
}  // namespace zerostall
