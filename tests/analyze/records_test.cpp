// What the analysis makes of memsets, overheads, graphs recorded as a whole, and of functions it does not know.
#include <gtest/gtest.h>

#include "profiler/analyze/summary.h"
#include "profiler/trace/build_trace.h"

namespace zerostall {
namespace {

// Four steps of 1 ms on thread 1.
class Raw {
 public:
  Raw() {
    raw.meta.clock = Clock::modelled;
    for (int n = 0; n < 4; ++n) {
      mark(RawMarkKind::push, n * kStep + kBegin, "step " + std::to_string(n));
      mark(RawMarkKind::pop, (n + 1) * kStep + kBegin - 10, "");
    }
  }
  static constexpr Nanos kBegin = 1'000'000, kStep = 1'000'000;

  void mark(RawMarkKind kind, Nanos time, const std::string& text) {
    raw.marks.push_back({time, 0, 1, raw.strings.intern("zerostall"), raw.strings.intern(text), kind});
  }
  // A call of 100 ns in the middle of a step, behind those before it.
  std::uint32_t call(int step, const std::string& name, std::int32_t result = 0) {
    RawCall c;
    c.begin_ns = kBegin + step * kStep + kStep / 2 + next * 200;
    c.end_ns = c.begin_ns + 100;
    c.thread = 1;
    c.correlation = next++;
    c.name = raw.strings.intern(name);
    c.result = result;
    raw.calls.push_back(c);
    return c.correlation;
  }
  RawGpuOp& op(std::uint32_t correlation, GpuOpKind kind, MemoryKind target = MemoryKind::device) {
    RawGpuOp op;
    op.begin_ns = raw.calls[correlation - 1].begin_ns + 10;
    op.end_ns = op.begin_ns + 10;
    op.correlation = correlation;
    op.kind = kind;
    op.target = target;
    raw.gpu_ops.push_back(op);
    return raw.gpu_ops.back();
  }
  RunSummary analyze() { return zerostall::analyze(std::move(raw), {"t", 1}); }

  RawTrace raw;
  std::uint32_t next = 1;
};

TEST(AnalyzeRecords, ASynchronousMemsetOfHostMemoryIsAWaitAndNoOther) {
  Raw r;
  for (const MemoryKind target : {MemoryKind::device, MemoryKind::pinned, MemoryKind::managed})
    r.op(r.call(1, "cudaMemset_v3020"), GpuOpKind::memset, target);
  r.op(r.call(1, "cudaMemsetAsync_v3020"), GpuOpKind::memset, MemoryKind::managed);
  r.op(r.call(1, "cuMemsetD32_v2_ptds"), GpuOpKind::memset, MemoryKind::managed);
  const Counters step = r.analyze().steps[1].counters;
  EXPECT_EQ(step[Counter::blocking_memsets], 3);
  EXPECT_EQ(step[Counter::waits], 3);
  EXPECT_EQ(step[Counter::blocked_ns], 300);
  EXPECT_EQ(step[Counter::blocking_copies], 0);
}

TEST(AnalyzeRecords, AMemsetThatFailedAndLeftNoRecordIsNoWait) {
  Raw r;
  r.call(1, "cudaMemset_v3020", 1);
  EXPECT_EQ(r.analyze().steps[1].counters[Counter::waits], 0);
}

TEST(AnalyzeRecords, LaunchesThatFoundTheQueueFullAreThoseTheDriverNames) {
  Raw r;
  r.raw.meta.tells_queue_full = true;
  const auto launch = r.call(2, "cudaLaunchKernel_v7000");
  const auto graph = r.call(2, "cudaGraphLaunch_v10000");
  const auto memset = r.call(2, "cudaMemsetAsync_v3020");
  r.call(2, "cudaLaunchKernel_v7000");
  for (const auto correlation : {launch, graph, memset})
    r.raw.overheads.push_back({5, 6, 1, correlation, OverheadKind::queue_full});
  const Counters step = r.analyze().steps[2].counters;
  EXPECT_EQ(step[Counter::queue_full], 3);
  EXPECT_EQ(step[Counter::waits], 0);
}

TEST(AnalyzeRecords, AStepInWhichCodeWasLoadedWhenFirstNeededIsUnsteady) {
  Raw r;
  const auto launch = r.call(2, "cudaLaunchKernel_v7000");
  r.call(3, "cudaLaunchKernel_v7000");
  r.raw.overheads.push_back({5, 6, 1, launch, OverheadKind::function_loading});
  const RunSummary run = r.analyze();
  EXPECT_TRUE(run.steps[2].unsteady);
  EXPECT_FALSE(run.steps[3].unsteady);
}

TEST(AnalyzeRecords, WhatWasInAGraphRecordedAsAWholeIsNotCountedAsNothing) {
  Raw as_a_whole, r;
  as_a_whole.op(as_a_whole.call(1, "cudaGraphLaunch_v10000"), GpuOpKind::graph);
  for (Raw* each : {&as_a_whole, &r}) each->op(each->call(1, "cudaLaunchKernel_v7000"), GpuOpKind::kernel);
  const GpuWork whole = as_a_whole.analyze().gpu_work;
  EXPECT_EQ(whole.graphs, 1);
  EXPECT_EQ(whole.kernels, std::nullopt);
  EXPECT_EQ(whole.copies, std::nullopt);
  EXPECT_EQ(r.analyze().gpu_work.kernels, 1);
}

TEST(AnalyzeRecords, CallsOfUnknownFunctionsAreNamedPerStep) {
  Raw r;
  r.call(1, "cudaNewWait_v14000");
  r.call(3, "cudaNewWait_v14000");
  const RunSummary run = r.analyze();
  EXPECT_EQ(run.unknown, (std::map<std::string, std::int64_t>{{"cudaNewWait", 2}}));
  EXPECT_EQ(run.steps[3].unknown.at("cudaNewWait"), 1);
  EXPECT_TRUE(run.steps[2].unknown.empty());
}

TEST(AnalyzeRecords, DevicesThatWaitLetNoHostWait) {
  Raw r;
  for (const char* name : {"cudaStreamWaitEvent_ptsz_v7000", "cuStreamWaitValue32_v2", "cuStreamBatchMemOp_v2",
                           "cudaWaitExternalSemaphoresAsync_v11020", "cudaEventQuery_v3020"})
    r.call(1, name);
  EXPECT_EQ(r.analyze().steps[1].counters, Counters{});
}

}  // namespace
}  // namespace zerostall
