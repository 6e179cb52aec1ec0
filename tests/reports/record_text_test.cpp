#include "reports/record_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/trace/read_native.h"
#include "tests/trace/trace_builder.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

RunSummary summary_of(TraceBuilder& t) {
  const std::string file = t.bytes();
  return analyze(std::move(*parse_native(std::as_bytes(std::span(file)), "t")), {"t"});
}

TEST(RecordLines, ShowStepsAndTheThreeKindsThatWaitMost) {
  TraceBuilder t;
  for (int n = 0; n < 5; ++n)
    t.step(n, [&] {
      for (int i = 0; i < 3; ++i) t.upload(512);
      t.item(), t.item();
      t.launch(), t.sync("cudaDeviceSynchronize_v3020", 0);
      if (n == 4) t.upload(64);
    });
  EXPECT_THAT(
      record_lines("run.zstall", {{"process-1", summary_of(t)}}, 0),
      ElementsAre("run.zstall · simulated H200 · 5 steps, first 2 not judged · 6..7 waits per step",
                  "     3 per step  cudaMemcpyAsync 512 B host to device + cudaStreamSynchronize",
                  "     2 per step  cudaMemcpyAsync 4 B device to host + cudaStreamSynchronize",
                  "     1 per step  cudaDeviceSynchronize", "  and 1 other kind", "next: zerostall stat run.zstall"));
}

TEST(RecordLines, ShowTotalsAndHowToMarkStepsWhereThereAreNone) {
  TraceBuilder t;
  t.item(), t.item();
  EXPECT_THAT(record_lines("run.zstall", {{"process-1", summary_of(t)}}, 0),
              ElementsAre("run.zstall · simulated H200 · no steps marked · 2 waits in all", "  2 stream syncs",
                          "to count waits per step, call torch.cuda.nvtx.mark(f\"step {i}\") at the start of each step",
                          "next: zerostall stat run.zstall"));
}

TEST(RecordLines, ShowEachProcessAndThenTheWorst) {
  TraceBuilder a, b;
  a.item();
  b.item(), b.item();
  b.closed = false;
  const auto lines = record_lines("all", {{"rank0", summary_of(a)}, {"rank1", summary_of(b)}}, 1);
  EXPECT_EQ(lines[0], "all · simulated H200 · 2 processes");
  EXPECT_EQ(lines[1], "  rank0: no steps marked · 1 wait in all");
  EXPECT_THAT(lines[2], StartsWith("  rank1: no steps marked · 2 waits in all · the trace ends early"));
  EXPECT_EQ(lines[3], "rank1 waits most:");
}

TEST(RecordLines, SayWhenTimesWouldNotRepeat) {
  TraceBuilder t;
  t.meta = R"({"clock": "modelled", "simulated_model": "h200", "host_clock": "cpu"})";
  t.item();
  EXPECT_THAT(record_lines("t", {{"p", summary_of(t)}}, 0),
              ::testing::Contains(HasSubstr("times are not repeatable: the CPU time of the host")));
}

}  // namespace
}  // namespace zerostall
