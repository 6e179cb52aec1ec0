#include "profiler/analyze/measure.h"

#include <gtest/gtest.h>

#include "tests/trace/trace_builder.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;

struct Analysis {
  Trace trace;
  Steps steps;
  std::vector<Wait> waits;
  Measured measured;
};

Analysis measure(TraceBuilder& t) {
  Analysis a{t.trace(), {}, {}, {}};
  a.steps = split_steps(a.trace);
  a.waits = find_waits(a.trace);
  a.measured = measure_steps(a.trace, a.steps, a.waits);
  return a;
}

const Counters& region(const StepStats& step, std::string_view name) {
  for (const RegionStats& r : step.regions)
    if (r.name == name) return r.counters;
  throw std::runtime_error("no such region");
}

TEST(MeasureSteps, CountsCallsAndWaitsOfAStepAndItsRegions) {
  TraceBuilder t;
  t.sync();
  t.step(0, [&] {
    t.range("load", [&] { t.upload(64), t.upload(64); });
    t.range("train", [&] { t.launch(), t.item(); });
    t.range("train", [&] { t.launch(), t.item(); });
    t.sync("cudaDeviceSynchronize_v3020");
  });
  const Analysis a = measure(t);
  const StepStats& step = a.measured.steps.at(0);
  EXPECT_EQ(step.counters[Counter::waits], 5);
  EXPECT_EQ(step.counters[Counter::stream_syncs], 4);
  EXPECT_EQ(step.counters[Counter::device_syncs], 1);
  EXPECT_EQ(step.counters[Counter::blocking_copies], 2);
  EXPECT_EQ(step.counters[Counter::h2d_stalls], 2);
  EXPECT_EQ(step.counters[Counter::drains], 5);
  EXPECT_EQ(region(step, "load")[Counter::waits], 2);
  EXPECT_EQ(region(step, "train")[Counter::waits], 2);
  EXPECT_EQ(region(step, "train")[Counter::h2d_stalls], 0);
  EXPECT_EQ(step.waits.size(), 5u);
  EXPECT_EQ(a.measured.outside[Counter::waits], 1);
  EXPECT_EQ(a.measured.background[Counter::waits], 0);
}

TEST(MeasureSteps, SumsBlockedTimeOfWholeWaits) {
  TraceBuilder t;
  t.step(0, [&] { t.launch(), t.item(); });
  const Analysis a = measure(t);
  EXPECT_EQ(a.measured.steps[0].counters[Counter::blocked_ns], a.waits[0].end_ns - a.waits[0].begin_ns);
  EXPECT_EQ(a.measured.steps[0].counters[Counter::h2d_stall_ns], 0);
}

TEST(MeasureSteps, GivesAutogradThreadsToTheStepAndOthersToBackground) {
  TraceBuilder t;
  t.step(0, [&] {
    t.on_thread(2).launch();
    t.on_thread(2).item();      // autograd: launches kernels
    t.on_thread(3).upload(64);  // loader: only copies
    t.on_thread(100);
  });
  t.on_thread(2).item();  // no step now
  const Analysis a = measure(t);
  EXPECT_EQ(a.measured.steps[0].counters[Counter::waits], 1);
  EXPECT_EQ(a.measured.steps[0].counters[Counter::blocked_ns], 0);  // the marking thread itself never waited
  EXPECT_EQ(a.measured.background[Counter::waits], 1);
  EXPECT_EQ(a.measured.background[Counter::h2d_stalls], 1);
  EXPECT_GT(a.measured.background[Counter::blocked_ns], 0);
  EXPECT_EQ(a.measured.outside[Counter::waits], 1);
}

TEST(MeasureSteps, GivesAWaitToTheStepOfTheCallThatBlocks) {
  const auto measure_across = [](Memory host_memory) {
    TraceBuilder t;
    t.step(0, [&] { t.copy("cudaMemcpyAsync_v3020", kDeviceToHost, 4, host_memory); });
    t.step(1, [&] { t.sync(); });
    return measure(t).measured;
  };
  const Measured pinned = measure_across(kPinned);  // only the sync can block
  EXPECT_EQ(pinned.steps[0].counters[Counter::waits], 0);
  EXPECT_EQ(pinned.steps[1].counters[Counter::waits], 1);
  EXPECT_EQ(pinned.steps[1].counters[Counter::stream_syncs], 1);
  const Measured pageable = measure_across(kPageable);  // the copy blocks already
  EXPECT_EQ(pageable.steps[0].counters[Counter::waits], 1);
  EXPECT_EQ(pageable.steps[1].counters[Counter::waits], 0);
  EXPECT_EQ(pageable.steps[1].counters[Counter::stream_syncs], 1);  // calls belong to their own step
}

TEST(MeasureSteps, DecidesEqualStampsByHalfOpenSteps) {
  TraceBuilder t;
  t.cost_ns = 0;
  t.step(0, [&] { t.sync(); });  // begins one past the mark
  t.sync();                      // begins at the very stamp of the end: outside
  const Analysis a = measure(t);
  EXPECT_EQ(a.measured.steps[0].counters[Counter::waits], 1);
  EXPECT_EQ(a.measured.outside[Counter::waits], 1);
}

TEST(MeasureSteps, ReportsApartWhatIsNoHostWait) {
  TraceBuilder t;
  t.step(0, [&] {
    t.call("cudaMalloc_v3020");
    t.copy("cudaMemcpyAsync_v3020", kHostToDevice, 5, kUnknownMemory);
    t.launch();
    for (int i = 0; i < 4; ++i) t.call("cudaStreamQuery_v3020").result = 600;
  });
  const Analysis a = measure(t);
  const Counters& c = a.measured.steps[0].counters;
  EXPECT_EQ(c[Counter::waits], 0);
  EXPECT_EQ(c[Counter::implicit], 1);
  EXPECT_EQ(c[Counter::spins], 1);
  EXPECT_EQ(c[Counter::unknown_copies], 1);
  EXPECT_EQ(c[Counter::unknown_waits], 1);
  EXPECT_TRUE(a.measured.steps[0].grew);
}

TEST(MeasureSteps, TakesAFailedAllocationForNoGrowth) {
  TraceBuilder t;
  t.step(0, [&] { t.call("cudaMalloc_v3020").result = 2; });
  EXPECT_FALSE(measure(t).measured.steps[0].grew);
}

TEST(MeasureSteps, PutsAllOutsideWithoutSteps) {
  TraceBuilder t;
  t.item();
  const Analysis a = measure(t);
  EXPECT_TRUE(a.measured.steps.empty());
  EXPECT_EQ(a.measured.outside[Counter::waits], 1);
}

TEST(MeasureSteps, ShowsBlockedTimeOfOtherThreadsApart) {
  TraceBuilder t;
  t.step(0, [&] {
    t.item();
    t.on_thread(2).launch();
    t.item();
    t.on_thread(100);
  });
  const Analysis a = measure(t);
  const Counters& c = a.measured.steps[0].counters;
  EXPECT_EQ(c[Counter::blocked_ns], a.waits[0].end_ns - a.waits[0].begin_ns);
  EXPECT_EQ(c[Counter::blocked_other_threads_ns], a.waits[1].end_ns - a.waits[1].begin_ns);
}

TEST(MeasureSteps, CountsIdleWaits) {
  TraceBuilder t;
  t.step(0, [&] { t.launch(), t.item(), t.item(), t.upload(64); });
  EXPECT_EQ(measure(t).measured.steps[0].counters[Counter::idle_waits], 2);
  t.closed = false;
  EXPECT_EQ(measure(t).measured.steps[0].counters[Counter::idle_waits], std::nullopt);
}

TEST(MeasureSteps, KeepsAnUnclosedStepApart) {
  TraceBuilder t;
  t.item();
  t.step(0, [&] { t.item(); });
  t.mark(format::MarkKind::start, "step 1", "zerostall", 5);
  t.item(), t.item();
  t.step(2, [&] { t.item(); });
  t.item();
  const Analysis a = measure(t);
  EXPECT_EQ(a.measured.steps.size(), 2u);
  EXPECT_EQ(a.measured.unclosed[Counter::waits], 2);
  EXPECT_EQ(a.measured.outside[Counter::waits], 2);  // before all steps, and after a later one
}

TEST(MeasureSteps, WaitsBetweenStepsAreCountedByTheirRegion) {
  TraceBuilder t;
  t.step(0, [&] { t.item(); });
  t.range("backup", [&] { t.item(), t.item(); });
  t.item();  // in no region
  t.step(1, [&] { t.range("backup", [&] { t.item(); }); });
  const Analysis a = measure(t);
  EXPECT_EQ(a.measured.outside[Counter::waits], 3);
  ASSERT_EQ(a.measured.between.size(), 1u);
  EXPECT_EQ(a.measured.between[0].name, "backup");
  EXPECT_EQ(a.measured.between[0].counters[Counter::waits], 2);
}

}  // namespace
}  // namespace zerostall
