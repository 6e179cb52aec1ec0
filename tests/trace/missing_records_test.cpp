// Launches whose GPU work nobody told of are counted; those that run nothing are not.
#include "profiler/trace/missing_records.h"

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

}  // namespace
}  // namespace zerostall
