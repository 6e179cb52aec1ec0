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

TEST(RecordLines, ShowStepsAndTheKindsThatWaitMost) {
  TraceBuilder t;
  for (int n = 0; n < 5; ++n)
    t.step(n, [&] {
      for (int i = 0; i < 3; ++i) t.upload(512);
      t.item(), t.item();
      t.launch(), t.sync("cudaDeviceSynchronize_v3020", 0);
      if (n == 4) t.upload(64), t.upload(80), t.upload(96);
    });
  t.upload(512), t.upload(1024);
  EXPECT_THAT(
      record_lines("run.zstall", {{"process-1", summary_of(t)}}, 0),
      ElementsAre("run.zstall · simulated H200 · 5 steps, first 2 not judged · 6..9 waits per step",
                  "     3 per step  cudaMemcpyAsync 512 B host to device + cudaStreamSynchronize",
                  "     2 per step  cudaMemcpyAsync 4 B device to host + cudaStreamSynchronize",
                  "     1 per step  cudaDeviceSynchronize",
                  "  0..1 per step  cudaMemcpyAsync 64 B host to device + cudaStreamSynchronize",
                  "  0..1 per step  cudaMemcpyAsync 80 B host to device + cudaStreamSynchronize", "  and 1 other kind",
                  "  2 waits outside the steps, in the whole run", "next: zerostall stat run.zstall"));
}

TEST(RecordLines, ShowTotalsAndHowToMarkStepsWhereThereAreNone) {
  TraceBuilder t;
  t.item(), t.item();
  EXPECT_THAT(record_lines("run.zstall", {{"process-1", summary_of(t)}}, 0),
              ElementsAre("run.zstall · simulated H200 · no steps marked · 2 waits in all",
                          "       2 ×  cudaMemcpyAsync 4 B device to host + cudaStreamSynchronize",
                          "to count waits per step, call torch.cuda.nvtx.mark(f\"step {i}\") at the start of each step",
                          "next: zerostall stat run.zstall"));
}

TEST(RecordLines, SayThatStepsAreInferred) {
  TraceBuilder t;
  for (int n = 0; n < 5; ++n) {
    t.launch(), t.item();
    t.launch(7, "multi_tensor_apply_kernel");
  }
  const auto lines = record_lines("run.zstall", {{"process-1", summary_of(t)}}, 0);
  EXPECT_EQ(lines[0],
            "run.zstall · simulated H200 · 5 steps (inferred, high confidence), first 2 not judged · 1 wait per step");
  EXPECT_EQ(lines[2],
            "steps are inferred, not marked; to be certain, call torch.cuda.nvtx.mark(f\"step {i}\") at the start of "
            "each step");
}

TEST(RecordLines, ShowEachProcessAndThenTheWorst) {
  TraceBuilder a, b;
  a.item();
  b.item(), b.item();
  b.closed = false;
  a.meta =
      R"({"clock": "modelled", "simulated_model": "h200", "program": "python3", "script": "a.py", "arguments": 1})";
  const auto lines = record_lines("all", {{"rank0", summary_of(a)}, {"rank1", summary_of(b)}}, 1);
  EXPECT_EQ(lines[0], "all · simulated H200 · 2 processes");
  EXPECT_EQ(lines[1], "  rank0 (python3 a.py + 1 argument): no steps marked · 1 wait in all");
  EXPECT_THAT(lines[2], StartsWith("  rank1: no steps marked · 2 waits in all · the trace ends early"));
  EXPECT_EQ(lines[3], "rank1 waits most:");
}

// torch.cuda.nvtx.mark: the last mark's step has no end.
TEST(RecordLines, SayThatTheLastMarkMakesNoStep) {
  TraceBuilder one, four;
  one.mark(format::MarkKind::instant, "step 0"), one.item();
  for (int n = 0; n < 4; ++n) four.mark(format::MarkKind::instant, "step " + std::to_string(n)), four.item();
  const auto open = HasSubstr("1 step without an end: not judged; a step marked by nvtx.mark ends at the next mark");
  const auto lines = record_lines("t", {{"p", summary_of(four)}}, 0);
  EXPECT_EQ(lines[0], "t · simulated H200 · 3 steps, first 2 not judged · 1 wait per step");
  EXPECT_THAT(lines, ::testing::Contains(open));
  const auto none = record_lines("t", {{"p", summary_of(one)}}, 0);
  EXPECT_EQ(none[0], "t · simulated H200 · no step that ended · 1 wait in all");
  EXPECT_THAT(none, ::testing::Contains(open));
  EXPECT_THAT(none, ::testing::Not(::testing::Contains(HasSubstr("to count waits per step"))));
}

TEST(RecordLines, SayThatBranchesOnReadBackValuesMayGoAnotherWay) {
  TraceBuilder t;
  t.item();
  t.note(format::NoteKind::unreal_readback, "cudaMemcpyAsync", 4);
  EXPECT_THAT(record_lines("t", {{"p", summary_of(t)}}, 0),
              ::testing::Contains(HasSubstr("1 read-back had no real value: a branch on one may go another way")));
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
