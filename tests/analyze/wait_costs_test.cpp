#include "profiler/analyze/wait_costs.h"

#include <gtest/gtest.h>

#include "tests/analyze/hand_made.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;

// A kernel until 1000, and what comes next at 1203, each 5 after its launch.
void first_kernel(HandMade& t) { t.work(t.launch(-10, -8), -5, 1000); }
void next_kernel(HandMade& t) { t.work(t.launch(1203, 1205), 1208, 2000); }

TEST(WaitCosts, OfAWaitThatDrainsTheQueue) {
  HandMade t;
  first_kernel(t);
  t.sync(0, 1003);
  next_kernel(t);
  const Costs found = t.costs();
  EXPECT_EQ(found.costs->launch_latency_ns, 5);
  EXPECT_EQ(found.of(0).bubble_ns, 208);
  EXPECT_EQ(found.of(0).avoidable_ns, 208);
  EXPECT_EQ(found.of(0).effective_ns, 1000);
  EXPECT_EQ(found.costs->outside, (IdleTime{208, 208, 0, 0, 0}));
}

// Without it the launch would have come 103 earlier, and no more.
TEST(WaitCosts, NoMoreIsAvoidableThanTheWaitTook) {
  HandMade t;
  first_kernel(t);
  t.sync(900, 1003);
  next_kernel(t);
  const Costs found = t.costs();
  EXPECT_EQ(found.of(0).bubble_ns, 208);
  EXPECT_EQ(found.of(0).avoidable_ns, 103);
  EXPECT_EQ(found.of(0).effective_ns, 100);
}

TEST(WaitCosts, AGapIsChargedToTheLastOfTwoWaits) {
  HandMade t;
  const Place other{0, 1, 14};
  t.work(t.launch(-20, -18), -15, 500);
  t.stream = 8;
  t.work(t.launch(-10, -8), -5, 1000, other);
  t.stream = 7;
  t.sync(0, 502);
  t.stream = 8;
  t.sync(502, 1003);
  t.work(t.launch(1203, 1205), 1208, 2000, other);
  const Costs found = t.costs();
  EXPECT_EQ(found.of(0).bubble_ns, 0);
  EXPECT_EQ(found.of(0).effective_ns, 500);
  EXPECT_EQ(found.of(1).bubble_ns, 208);
  EXPECT_EQ(found.of(1).avoidable_ns, 208);
  EXPECT_EQ(found.of(1).effective_ns, 498);
}

TEST(WaitCosts, AnIdleWaitCostsNothing) {
  HandMade t;
  first_kernel(t);
  t.sync(0, 1003);
  t.sync(1050, 1060);  // the one before it did the waiting
  next_kernel(t);
  const Costs found = t.costs();
  EXPECT_EQ(found.of(0).bubble_ns, 208);
  EXPECT_EQ(found.of(1).bubble_ns, 0);
  EXPECT_EQ(found.of(1).effective_ns, 0);

  HandMade alone;
  first_kernel(alone);
  alone.sync(1050, 1060);
  next_kernel(alone);
  const Costs without = alone.costs();
  EXPECT_EQ(without.of(0).bubble_ns, 0);
  EXPECT_EQ(without.costs->outside, (IdleTime{0, 0, 208, 0, 0}));
}

TEST(WaitCosts, AnotherThreadsWaitIsNotToBlame) {
  HandMade t;
  first_kernel(t);
  t.thread = 2;
  t.sync(0, 1003);
  t.thread = 1;
  next_kernel(t);
  const Costs found = t.costs();
  EXPECT_EQ(found.of(0).bubble_ns, 0);
  EXPECT_EQ(found.of(0).effective_ns, 1000);
  EXPECT_EQ(found.costs->outside, (IdleTime{0, 0, 208, 0, 0}));
}

TEST(WaitCosts, WaitsThatWereOverBeforeTheDeviceRanDryAreNotToBlame) {
  HandMade t;
  t.work(t.launch(-20, -18), -15, 400);
  t.sync(0, 402);
  t.work(t.launch(410, 412), 415, 1000);
  next_kernel(t);
  const Costs found = t.costs();
  EXPECT_EQ(found.of(0).bubble_ns, 15);
  EXPECT_EQ(found.costs->outside.host_bound_ns, 208);
}

TEST(WaitCosts, WorkThatHadBeenLaunchedWaitedForOtherWork) {
  HandMade t;
  first_kernel(t);
  t.work(t.launch(500, 502), 1700, 2000, {0, 1, 14});
  t.sync(600, 2003);
  const Costs found = t.costs();
  EXPECT_EQ(found.of(0).bubble_ns, 0);
  EXPECT_EQ(found.costs->outside, (IdleTime{0, 0, 0, 700, 0}));
}

// Kernels shorter than the way from launch to start: launched before the device ran dry, and still too late.
TEST(WaitCosts, ALaunchJustBeforeTheDeviceRunsDryIsLate) {
  HandMade t;
  for (int i = 0; i < 3; ++i) t.work(t.launch(i * 47, i * 47 + 20), i * 47 + 46, i * 47 + 64);
  EXPECT_EQ(t.costs().costs->outside, (IdleTime{0, 0, 2 * 29, 0, 0}));
}

// The device had nothing to do while the host copied the data to where the device can read it.
TEST(WaitCosts, ABlockingUploadIsChargedForTheTimeBeforeItsTransfer) {
  HandMade t;
  first_kernel(t);
  t.upload(0, 1090, 1091, 1095);
  t.sync(1090, 1100);
  const Costs found = t.costs();
  ASSERT_EQ(found.waits.size(), 1u);
  EXPECT_EQ(found.of(0).bubble_ns, 91);
  EXPECT_EQ(found.of(0).avoidable_ns, 91);
  EXPECT_EQ(found.costs->outside, (IdleTime{91, 91, 0, 0, 0}));
}

// Its call came when the device was dry already: that part is another's.
TEST(WaitCosts, OfALateUploadOnlyWhatFollowsItsCallIsCharged) {
  HandMade t;
  first_kernel(t);
  t.sync(0, 1003);
  t.upload(1203, 1290, 1291, 1295);
  t.sync(1290, 1300);
  const Costs found = t.costs();
  EXPECT_EQ(found.of(0).bubble_ns, 208);
  EXPECT_EQ(found.of(0).avoidable_ns, 208);
  EXPECT_EQ(found.of(1).bubble_ns, 83);
  EXPECT_EQ(found.of(1).avoidable_ns, 83);
}

TEST(WaitCosts, WithoutALaunchTheCauseIsUnknown) {
  HandMade t;
  first_kernel(t);
  t.sync(0, 1003);
  t.work(0, 1208, 2000);
  EXPECT_EQ(t.costs().costs->outside, (IdleTime{0, 0, 0, 0, 208}));
}

TEST(WaitCosts, AStagedUploadDidNotBlock) {
  HandMade t;
  first_kernel(t);
  t.upload(0, 60, 1000, 1050);
  t.work(t.launch(1250, 1252), 1255, 2000);
  const Costs found = t.costs();
  ASSERT_EQ(found.waits.size(), 1u);
  EXPECT_TRUE(found.waits[0].staged);
  EXPECT_EQ(found.of(0).effective_ns, 0);
  EXPECT_EQ(found.of(0).bubble_ns, 0);
  EXPECT_EQ(found.of(0).upload->return_ns, 60);
  EXPECT_EQ(found.costs->outside, (IdleTime{0, 0, 205, 0, 0}));
}

TEST(WaitCosts, AnUploadIsSplit) {
  HandMade t;
  t.work(t.launch(-10, -8), -5, 300);
  t.upload(0, 20, 300, 450);
  t.sync(20, 500);
  const Costs found = t.costs();
  ASSERT_EQ(found.waits.size(), 1u);
  EXPECT_FALSE(found.waits[0].staged);
  EXPECT_EQ(found.of(0).upload->stream_ns, 300);
  EXPECT_EQ(found.of(0).upload->transfer_ns, 150);
  EXPECT_EQ(found.of(0).upload->return_ns, 50);
  EXPECT_EQ(found.of(0).effective_ns, 450);
}

TEST(WaitCosts, BadTimesAreLeftOutOfTimesAndNotOfCounts) {
  HandMade t;
  t.base += 100'000;
  first_kernel(t);
  t.upload(0, 20, -25'000, -24'000);  // long before its launch
  t.sync(20, 1003);
  next_kernel(t);
  const Costs found = t.costs();
  EXPECT_EQ(found.trace.oddities.at("bad_times"), 1);
  ASSERT_EQ(found.waits.size(), 1u);
  EXPECT_FALSE(found.of(0).upload);
  EXPECT_EQ(found.of(0).effective_ns, 1000);  // by the kernel before it
  EXPECT_EQ(found.of(0).bubble_ns, 208);
}

TEST(WaitCosts, ALaunchOfAGraphIsOnePieceOfWork) {
  HandMade t;
  const auto graph = t.call("cudaGraphLaunch_v10000", -10, -8);
  t.work(graph, -5, 300);
  t.work(graph, 600, 1000, {0, 1, 14});
  t.sync(0, 1003);
  next_kernel(t);
  const Costs found = t.costs();
  EXPECT_EQ(found.of(0).avoidable_ns, 208);
  EXPECT_EQ(found.costs->outside, (IdleTime{208, 208, 0, 0, 0}));
}

TEST(WaitCosts, AreUnknownWithoutTheGpusRecords) {
  const auto changed = [](auto change) {
    HandMade t;
    first_kernel(t);
    t.sync(0, 1003);
    change(t.raw);
    return t.costs().costs.has_value();
  };
  EXPECT_TRUE(changed([](RawTrace&) {}));
  EXPECT_FALSE(changed([](RawTrace& raw) { raw.truncated = true; }));
  EXPECT_FALSE(changed([](RawTrace& raw) { raw.gpu_ops.clear(); }));
  EXPECT_FALSE(changed([](RawTrace& raw) { raw.meta.counts_only = true; }));
  EXPECT_FALSE(changed([](RawTrace& raw) {
    raw.notes.push_back({kBase, 3, 0, raw.strings.intern(""), NoteKind::lost_records});
  }));
}

// On a modelled clock calls may take no time: the order of the calls decides.
TEST(WaitCosts, OfCallsAtOneMoment) {
  HandMade t;
  first_kernel(t);
  t.sync(0, 1000);
  t.sync(1000, 1000);
  t.work(t.launch(1000, 1000), 1005, 2000);
  t.sync(1000, 2000);
  const Costs found = t.costs();
  EXPECT_EQ(found.of(0).bubble_ns, 5);
  EXPECT_EQ(found.of(0).avoidable_ns, 5);  // launched at 0, the next kernel would have stood in the queue
  EXPECT_EQ(found.of(1).bubble_ns, 0);
  EXPECT_EQ(found.of(2).bubble_ns, 0);
}

TEST(WaitCosts, ALaunchMayHoldBackSeveralDevices) {
  HandMade t;
  const Place second{1, 2, 13};
  first_kernel(t);
  t.context = 2;
  t.work(t.launch(-7, -6), -2, 900, second);
  t.context = 1;
  t.sync(0, 1003);
  t.work(t.launch(1100, 1102), 1105, 2000);
  t.context = 2;
  t.work(t.launch(1110, 1112), 1115, 2000, second);
  const Costs found = t.costs();
  EXPECT_EQ(found.of(0).bubble_ns, 105 + 215);
  EXPECT_EQ(found.of(0).avoidable_ns, 105 + 215);
}

// Streams of which only the GPU's numbers are known, as PyTorch's profiler writes them.
TEST(WaitCosts, WithoutHandlesAWaitWasNotForWorkThatOutlivedIt) {
  HandMade t;
  t.stream = 0;
  t.context = 0;
  t.work(t.launch(-20, -18), -15, 400);
  t.work(t.launch(-10, -8), -5, 1000, {0, 1, 14});
  t.sync(0, 403);
  t.sync(500, 505);
  const Costs found = t.costs();
  EXPECT_EQ(found.of(0).effective_ns, 400);
  EXPECT_EQ(found.of(1).effective_ns, 0);
}

TEST(WaitCosts, WithoutHandlesACopyTellsItsStream) {
  HandMade t;
  t.stream = 0;
  t.context = 0;
  t.work(t.launch(-10, -8), -5, 490, {0, 1, 14});
  t.upload(0, 20, 300, 450);
  t.sync(20, 500);
  EXPECT_EQ(t.costs().of(0).effective_ns, 450);
}

TEST(WaitCosts, AnEventIsWaitedForAsItWasRecorded) {
  HandMade t;
  t.work(t.launch(-20, -18), -15, 400);
  t.call("cudaEventRecord_v3020", -17, -16, 99);
  t.work(t.launch(-10, -8), 400, 1000);
  t.call("cudaEventSynchronize_v3020", 0, 450, 99);
  EXPECT_EQ(t.costs().of(0).effective_ns, 400);
}

// Of which nobody tells when it was recorded: what ended while it was waited for is the most that it can have been.
TEST(WaitCosts, AnEventOfUnknownRecordWasWaitedForUntilTheLastWorkThatEnded) {
  HandMade t;
  t.work(t.launch(-20, -18), -15, 400);
  t.work(t.launch(-10, -8), 400, 1000);
  t.call("cudaEventSynchronize_v3020", 0, 450);
  t.call("cudaEventSynchronize_v3020", 460, 470);
  const Costs found = t.costs();
  EXPECT_EQ(found.of(0).effective_ns, 400);
  EXPECT_EQ(found.of(1).effective_ns, 0);
}

TEST(WaitCosts, StepsHaveTheirPartsOfAGap) {
  HandMade t;
  t.step(0, -50, 1100);
  t.step(1, 1150, 2100);
  first_kernel(t);
  t.sync(800, 1003);
  next_kernel(t);
  const Costs found = t.costs();
  EXPECT_EQ(found.of(0).bubble_ns, 208);
  EXPECT_EQ(found.of(0).avoidable_ns, 203);
  EXPECT_EQ(found.costs->steps[0], (IdleTime{100, 95, 45, 0, 0}));
  EXPECT_EQ(found.costs->outside, (IdleTime{50, 50, 0, 0, 0}));
  EXPECT_EQ(found.costs->steps[1], (IdleTime{58, 58, 100, 0, 0}));  // nothing was launched behind the last work
}

TEST(WaitCosts, TheTimeBehindTheLastWorkIsHeldBackByTheLastWait) {
  HandMade t;
  t.step(0, -50, 1300);
  first_kernel(t);
  t.sync(0, 1003);
  const Costs found = t.costs();
  EXPECT_EQ(found.costs->steps[0], (IdleTime{300, 300, 45, 0, 0}));
}

TEST(WaitCosts, ADeviceIsNoneOfAStepsBeforeItsFirstWorkAndBehindItsLast) {
  HandMade t;
  const Place second{1, 2, 13};
  for (int n = 0; n < 3; ++n) t.step(n, n * 1000, n * 1000 + 1000);
  for (int n = 0; n < 3; ++n) {
    t.work(t.launch(n * 1000, n * 1000), n * 1000, n * 1000 + 1000);
    if (n == 1) t.work(t.launch(1100, 1100), 1100, 1200, second);
  }
  const Costs found = t.costs();
  EXPECT_EQ(found.costs->steps[0], IdleTime{});
  EXPECT_EQ(found.costs->steps[1].host_bound_ns, 900);
  EXPECT_EQ(found.costs->steps[2], IdleTime{});
}

}  // namespace
}  // namespace zerostall
