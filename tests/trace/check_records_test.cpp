// Launches whose GPU work nobody told of are counted; those that run nothing are not. Work told twice counts once.
#include "profiler/trace/check_records.h"

#include <gtest/gtest.h>

#include "tests/trace/trace_builder.h"

namespace zerostall {
namespace {

using testing::TraceBuilder;

TEST(MissingRecords, NoneWhereEachLaunchHasOne) {
  TraceBuilder t;
  for (int i = 0; i < 5; ++i) t.launch();
  EXPECT_EQ(launches_without_record(t.trace()), 0);
}

TEST(MissingRecords, CountsLaunchesThatHaveNone) {
  TraceBuilder t;
  for (int i = 0; i < 5; ++i) t.launch();
  t.gpu_ops.resize(2);
  EXPECT_EQ(launches_without_record(t.trace()), 3);
  t.gpu_ops.clear();
  EXPECT_EQ(launches_without_record(t.trace()), 5) << "none at all is not none expected";
}

TEST(MissingRecords, AFailedLaunchRunsNothing) {
  TraceBuilder t;
  t.call("cudaLaunchKernel_v7000").result = 98;
  t.call("cudaLaunchKernel_v7000");
  EXPECT_EQ(launches_without_record(t.trace()), 1);
}

TEST(MissingRecords, TheDriversLaunchInsideOfTheRuntimesIsTheSame) {
  TraceBuilder t;
  t.call("cudaLaunchKernel_v7000", [&] { t.call("cuLaunchKernel"); });
  EXPECT_EQ(launches_without_record(t.trace()), 1);
}

TEST(MissingRecords, NeitherCapturedLaunchesNorEmptyGraphsHaveOne) {
  TraceBuilder t;
  t.call("cudaStreamBeginCapture_v10000");
  t.on_thread(101).call("cudaLaunchKernel_v7000");
  t.call("cuStreamBeginCapture_v2").result = 900;  // refused: captures nothing
  t.call("cudaLaunchKernel_v7000");
  t.on_thread(100).call("cudaStreamEndCapture_v10000");
  t.call("cudaGraphLaunch_v10000");
  EXPECT_EQ(launches_without_record(t.trace()), 0);
  t.call("cudaLaunchKernel_v7000");
  EXPECT_EQ(launches_without_record(t.trace()), 1);
}

TEST(MissingRecords, ACaptureLastsToTheEndOfTheLastOfThem) {
  TraceBuilder t;
  t.call("cudaStreamBeginCapture_v10000");
  t.on_thread(101).call("cudaStreamBeginCapture_v10000");
  t.call("cudaStreamEndCapture_v10000");
  t.on_thread(100).call("cudaLaunchKernel_v7000");
  EXPECT_EQ(launches_without_record(t.trace()), 0);
  t.call("cudaStreamEndCapture_v10000");
  t.sync();  // on modelled clocks a call may begin when the one before it ends: that is not told apart
  t.call("cudaLaunchKernel_v7000");
  EXPECT_EQ(launches_without_record(t.trace()), 1);
}

Trace told(const std::vector<std::size_t>& order) {
  TraceBuilder t;
  for (int i = 0; i < 3; ++i) t.launch();
  t.copy("cudaMemcpyAsync_v3020", testing::kDeviceToHost, 64, testing::kPinned);
  const auto all = t.gpu_ops;
  t.gpu_ops.clear();
  for (const std::size_t which : order) t.gpu_ops.push_back(all.at(which));
  return t.trace();
}

TEST(RepeatedRecords, WorkToldTwiceCountsOnce) {
  const Trace trace = told({0, 1, 2, 3, 3, 1, 1});
  EXPECT_EQ(trace.gpu_ops.size(), 4u);
  EXPECT_EQ(trace.oddities.at("repeated_gpu_ops"), 3);
  for (const Call& call : trace.calls) {
    if (call.kind == ApiKind::copy) {
      EXPECT_EQ(call.bytes, 64) << "not those of both records";
    }
  }
}

TEST(RepeatedRecords, NoneIsDroppedWhereNoneIsTwice) {
  const Trace trace = told({0, 1, 2, 3});
  EXPECT_EQ(trace.gpu_ops.size(), 4u);
  EXPECT_EQ(trace.oddities.count("repeated_gpu_ops"), 0u);
}

TEST(RepeatedRecords, WorkOfTwoStreamsAtOnceIsTwoPieces) {
  std::vector<GpuOp> ops(3);
  for (GpuOp& op : ops) op.launch_ns = 5, op.begin_ns = 10, op.end_ns = 20;
  ops[1].stream = 7;
  EXPECT_EQ(drop_repeated(ops), 1);
  EXPECT_EQ(ops.size(), 2u);
}

TEST(RepeatedRecords, WithoutTimesTheyCannotBeToldApart) {
  std::vector<GpuOp> ops(3);
  EXPECT_EQ(drop_repeated(ops), 0);
  EXPECT_EQ(ops.size(), 3u);
}

// Only a tracer that asked for all of them can tell that some are missing.
TEST(MissingRecords, AreLostWhereTheTraceSaysThatAllWereAskedFor) {
  TraceBuilder t;
  for (int i = 0; i < 5; ++i) t.launch();
  t.gpu_ops.resize(2);
  EXPECT_EQ(t.trace().lost_records, 0);
  t.meta = R"({"tool": "test", "clock": "measured", "gpu_records": true})";
  EXPECT_EQ(t.trace().lost_records, 3);
  EXPECT_EQ(t.trace().oddities.at("launches_without_record"), 3);
  t.note(format::NoteKind::lost_records, "dropped", 2);
  EXPECT_EQ(t.trace().lost_records, 3) << "those that CUPTI said it dropped are among them";
  t.note(format::NoteKind::lost_records, "dropped", 7);
  EXPECT_EQ(t.trace().lost_records, 9);
  t.closed = false;
  EXPECT_EQ(t.trace().oddities.count("launches_without_record"), 0u)
      << "a trace that was cut lacks them for another reason";
}

// --- what else a tracer says of its recording

TEST(TracerNotes, CuptiThatIsGoneEndsTheTrace) {
  TraceBuilder t;
  t.launch();
  EXPECT_FALSE(t.trace().truncated);
  t.note(format::NoteKind::detached, "CUPTI was shut down");
  EXPECT_TRUE(t.trace().truncated);
  EXPECT_EQ(describe(t.trace().end), "cut off: CUPTI was shut down");
}

TEST(TracerNotes, AClockThatWasSetIsAnOddity) {
  TraceBuilder t;
  t.launch();
  t.note(format::NoteKind::clock_step, "clock stepped by 5 ms", 5'000'000);
  EXPECT_EQ(t.trace().oddities.at("clock_steps"), 1);
  EXPECT_FALSE(t.trace().truncated);
}

}  // namespace
}  // namespace zerostall
