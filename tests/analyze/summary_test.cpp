#include "profiler/analyze/summary.h"

#include <gtest/gtest.h>

#include "profiler/trace/read_native.h"
#include "tests/trace/trace_builder.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;

RunSummary summary_of(TraceBuilder& t, std::int64_t warmup = 2) {
  const std::string file = t.bytes();
  return analyze(std::move(*parse_native(std::as_bytes(std::span(file)), "t")), {"t", warmup});
}

TEST(Summarize, JudgesStepsAfterTheWarmup) {
  TraceBuilder t;
  for (int n = 0; n < 6; ++n)
    t.step(n, [&] {
      for (int i = 0; i < (n < 2 ? 9 : n); ++i) t.item();
    });
  const RunSummary run = summary_of(t);
  EXPECT_EQ(run.judged(), 4);
  EXPECT_EQ(run.per_step[Counter::waits], (Spread{2, 3, 5, 5}));
  EXPECT_EQ(run.totals[Counter::waits], 9 + 9 + 2 + 3 + 4 + 5);
  EXPECT_FALSE(run.steps[1].judged);
  EXPECT_TRUE(run.complete());
}

TEST(Summarize, HasNoFiguresPerStepWithoutJudgedSteps) {
  TraceBuilder t;
  t.step(0, [&] { t.item(); });
  const RunSummary run = summary_of(t);
  EXPECT_EQ(run.judged(), 0);
  EXPECT_EQ(run.per_step[Counter::waits], std::nullopt);
  EXPECT_EQ(run.copies.at(0).per_step, std::nullopt);
}

TEST(Summarize, GivesEveryStepEveryRegion) {
  TraceBuilder t;
  for (int n = 0; n < 4; ++n)
    t.step(n, [&] {
      if (n == 2) t.range("save", [&] { t.item(); });
    });
  const RunSummary run = summary_of(t);
  ASSERT_EQ(run.regions.size(), 1u);
  EXPECT_EQ(run.regions[0].name, "save");
  EXPECT_EQ(run.regions[0].per_step[Counter::waits], (Spread{0, 0, 1, 1}));
}

TEST(Summarize, ListsCallsAndCopies) {
  TraceBuilder t;
  for (int n = 0; n < 4; ++n)
    t.step(n, [&] {
      t.upload(512), t.upload(512), t.item();
      t.call("cudaStreamSynchronize_v3020", [&] { t.call("cuStreamSynchronize"); });
    });
  const RunSummary run = summary_of(t);
  ASSERT_EQ(run.calls.size(), 3u);
  EXPECT_EQ(run.calls[0].name, "cuStreamSynchronize");
  EXPECT_EQ(run.calls[0].nested, 4);
  EXPECT_EQ(run.calls[2].name, "cudaStreamSynchronize");
  EXPECT_EQ(run.calls[2].count, 16);
  EXPECT_EQ(run.calls[2].nested, 0);
  ASSERT_EQ(run.copies.size(), 2u);
  EXPECT_EQ(run.copies[0].direction, "host to device");
  EXPECT_EQ(run.copies[0].host_memory, "pageable");
  EXPECT_EQ(run.copies[0].bytes, 512u);
  EXPECT_EQ(run.copies[0].count, 8);
  EXPECT_EQ(run.copies[0].per_step, (Spread{2, 2, 2, 2}));
  EXPECT_EQ(run.copies[1].host_memory, "pinned");
}

TEST(Summarize, NamesWaitsAndTheirRegions) {
  TraceBuilder t;
  t.step(0, [&] { t.range("micro 0", [&] { t.range("train", [&] { t.item(); }); }); });
  const RunSummary run = summary_of(t);
  ASSERT_EQ(run.steps.at(0).waits.size(), 1u);
  const WaitSeen& wait = run.steps[0].waits[0];
  EXPECT_EQ(wait.regions, (std::vector<std::string>{"micro 0", "train"}));
  EXPECT_EQ(wait.what, "cudaMemcpyAsync 4 B device to host + cudaStreamSynchronize");
  EXPECT_EQ(wait.site, 0u);
  EXPECT_EQ(run.sites.at(0).what, wait.what);
}

TEST(Summarize, MarksUnsteadySteps) {
  TraceBuilder t;
  for (int n = 0; n < 4; ++n)
    t.step(n, [&] {
      if (n != 2) t.call("cudaMalloc_v3020");
    });
  const RunSummary run = summary_of(t);
  EXPECT_FALSE(run.steps[0].unsteady);  // warm-up is expected to grow
  EXPECT_FALSE(run.steps[2].unsteady);
  EXPECT_TRUE(run.steps[3].unsteady);
}

TEST(Summarize, SortsNotesByWhatTheyMean) {
  TraceBuilder t;
  t.note(format::NoteKind::tool_problem, "could not do it");
  for (int n = 0; n < 4; ++n)
    t.step(n, [&] {
      t.note(format::NoteKind::unreal_readback, "4 B to pinned", 4);
      if (n == 3) t.note(format::NoteKind::unsupported_call, "cudaFoo");
    });
  const RunSummary run = summary_of(t);
  EXPECT_EQ(run.unreal_readbacks.total, 4);
  EXPECT_EQ(run.unreal_readbacks.judged, 2);
  EXPECT_EQ(run.unreal_readbacks.how.at("4 B to pinned"), 2);
  EXPECT_EQ(run.unsupported.at("cudaFoo"), 1);
  EXPECT_EQ(run.steps[3].unsupported.at("cudaFoo"), 1);
  EXPECT_EQ(run.tool_problems, std::vector<std::string>{"could not do it"});
}

}  // namespace
}  // namespace zerostall
