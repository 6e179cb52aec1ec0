// The same waits by thread, by stream, by cause, and of one region.
#include <gtest/gtest.h>

#include <algorithm>

#include "profiler/analyze/region.h"
#include "profiler/trace/read_native.h"
#include "tests/analyze/hand_made.h"
#include "tests/trace/trace_builder.h"

namespace zerostall {
namespace {

using testing::HandMade;
using testing::TraceBuilder;

RunSummary summary_of(TraceBuilder& t, std::int64_t warmup = 1) {
  const std::string file = t.bytes();
  return analyze(std::move(*parse_native(std::as_bytes(std::span(file)), "t")), {"t", warmup});
}

// A thread that marks, one that launches in the steps, one that only waits in them, one between them.
RunSummary four_threads() {
  TraceBuilder t;
  for (int n = 0; n < 4; ++n) {
    t.on_thread(1).step(n, [&] {
      t.launch();
      t.item();
      t.on_thread(2).launch();
      t.item();
      t.item();
      t.on_thread(3).item();
      t.on_thread(1);
    });
    t.on_thread(4).sync();
  }
  return summary_of(t);
}

TEST(Threads, HaveARoleAndTheirOwnWaits) {
  const RunSummary run = four_threads();
  ASSERT_EQ(run.threads.size(), 4u);
  const std::vector<ThreadRole> roles = {ThreadRole::marks, ThreadRole::works, ThreadRole::background,
                                         ThreadRole::outside};
  const std::vector<std::int64_t> waits = {4, 8, 4, 4};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(run.threads[i].id, i + 1);
    EXPECT_EQ(run.threads[i].role, roles[i]);
    EXPECT_EQ(run.threads[i].counters[Counter::waits], waits[i]);
    EXPECT_GT(run.threads[i].counters[Counter::blocked_ns], 0);
    EXPECT_EQ(run.threads[i].counters[Counter::blocked_other_threads_ns], 0);
  }
  EXPECT_EQ(run.threads[1].per_step, (Spread{2, 2, 2, 2}));
  EXPECT_EQ(run.threads[2].per_step, (Spread{1, 1, 1, 1}));  // during steps, though not for them
  EXPECT_EQ(run.threads[3].per_step, (Spread{0, 0, 0, 0}));
  EXPECT_EQ(run.threads[0].calls, 4 * 3);  // launch, copy, sync
}

TEST(Threads, AreAllOutsideWhereThereAreNoSteps) {
  TraceBuilder t;
  t.on_thread(5).item();
  const RunSummary run = summary_of(t);
  ASSERT_EQ(run.threads.size(), 1u);
  EXPECT_EQ(run.threads[0].role, ThreadRole::outside);
  EXPECT_FALSE(run.threads[0].per_step);
  EXPECT_TRUE(summary_of(*std::make_unique<TraceBuilder>()).threads.empty());
}

const StreamRow* find(const std::vector<StreamRow>& rows, StreamScope scope, std::uint32_t stream = 0) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](auto& r) { return r.scope == scope && r.stream == stream; });
  return found == rows.end() ? nullptr : &*found;
}

RunSummary of(HandMade& t) { return analyze(std::move(t.raw), {"t", 0}); }

TEST(Streams, AreToldByTheWorkOfTheirHandles) {
  HandMade t;
  t.step(0, -100, 5000);
  t.stream = 70;
  t.work(t.launch(0, 10), 10, 500, {0, 1, 13});
  t.stream = 80;
  t.work(t.launch(20, 30), 400, 900, {0, 1, 14});
  t.work(t.launch(40, 50), 1000, 1100, {0, 1, 14});
  t.stream = 70;
  t.sync(60, 510);
  t.stream = 80;
  t.sync(520, 1110);
  t.sync(1120, 1130);
  t.call("cudaDeviceSynchronize_v3020", 1140, 1150);
  t.stream = 99;  // that started no work
  t.sync(1160, 1170);
  const auto rows = of(t).streams;
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].scope, StreamScope::device);
  EXPECT_EQ(rows[0].waits, 1);
  EXPECT_EQ(rows[0].busy_ns, 890 + 100);  // 10 to 900, 1000 to 1100
  EXPECT_EQ(rows[0].idle_ns, 100);
  EXPECT_EQ(rows[0].work, 3);
  const StreamRow *first = find(rows, StreamScope::stream, 13), *second = find(rows, StreamScope::stream, 14);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->waits, 1);
  EXPECT_EQ(first->blocked_ns, 450);
  EXPECT_EQ(first->busy_ns, 490);
  EXPECT_EQ(first->idle_ns, 0);
  EXPECT_EQ(second->waits, 2);
  EXPECT_EQ(second->per_step, (Spread{2, 2, 2, 2}));
  EXPECT_EQ(second->busy_ns, 600);
  EXPECT_EQ(second->idle_ns, 100);
  EXPECT_EQ(rows[3].scope, StreamScope::unknown);
  EXPECT_EQ(rows[3].waits, 1);
  EXPECT_FALSE(rows[3].busy_ns);
}

TEST(Streams, AnEventIsWaitedForOnTheStreamThatRecordedIt) {
  HandMade t;
  t.stream = 70;
  t.work(t.launch(0, 10), 10, 500, {0, 1, 13});
  t.call("cudaEventRecord_v3020", 12, 14, 5);
  t.stream = 80;
  t.work(t.launch(20, 30), 30, 900, {0, 1, 14});
  t.stream = 0;
  t.call("cudaEventSynchronize_v3020", 40, 510, 5);
  t.call("cudaEventSynchronize_v3020", 520, 530, 6);  // of which no record is known
  const auto rows = of(t).streams;
  EXPECT_EQ(find(rows, StreamScope::stream, 13)->waits, 1);
  EXPECT_EQ(find(rows, StreamScope::stream, 14)->waits, 0);
  EXPECT_EQ(find(rows, StreamScope::unknown)->waits, 1);
}

TEST(Streams, ToolsThatWriteNoHandlesTellItByTheCopyOnly) {
  HandMade t;
  t.raw.meta.format = "kineto";
  t.stream = 0;
  t.context = 0;
  t.work(t.launch(0, 10), 10, 500, {0, 1, 13});
  t.sync(20, 510);
  t.upload(600, 700, 610, 690);
  const auto rows = of(t).streams;
  EXPECT_EQ(find(rows, StreamScope::stream, 13)->waits, 1);
  EXPECT_EQ(find(rows, StreamScope::unknown)->waits, 1);
}

TEST(Streams, SayNothingOfTheGpuWhereRecordsAreMissing) {
  HandMade t;
  t.work(t.launch(0, 10), 10, 500);
  t.sync(20, 510);
  t.raw.truncated = true;
  for (const StreamRow& row : of(t).streams) {
    EXPECT_FALSE(row.work);
    EXPECT_FALSE(row.busy_ns);
    EXPECT_FALSE(row.idle_ns);
  }
}

// Sites of `load` and `train`: an upload in each, from the same place (by position), and a read-back in `train`.
RunSummary two_regions() {
  TraceBuilder t;
  for (int n = 0; n < 4; ++n)
    t.step(n, [&] {
      t.range("load", [&] { t.upload(4096), t.upload(4096); });
      t.range("train", [&] { t.launch(), t.item(), t.launch(), t.item(); });
      t.item(8);
    });
  t.sync();
  return summary_of(t);
}

TEST(Region, HasItsOwnCountersSitesAndCauses) {
  const RunSummary whole = two_regions();
  const auto train = in_region(whole, "train");
  ASSERT_TRUE(train);
  EXPECT_EQ(train->region, "train");
  EXPECT_EQ(train->per_step[Counter::waits], (Spread{2, 2, 2, 2}));
  EXPECT_EQ(train->steps[2].counters[Counter::waits], 2);
  EXPECT_EQ(train->totals[Counter::waits], 8);
  EXPECT_EQ(train->outside, Counters{});
  EXPECT_EQ(train->regions.size(), 1u);
  std::int64_t at_sites = 0, of_causes = 0;
  for (const Site& site : train->sites) {
    at_sites += site.count;
    EXPECT_GT(site.count, 0);
  }
  for (const CauseRow& cause : train->causes) of_causes += cause.count;
  EXPECT_EQ(at_sites, 8);
  EXPECT_EQ(of_causes, 8);
  EXPECT_TRUE(train->threads.empty() && train->streams.empty() && train->calls.empty());
  EXPECT_FALSE(train->steps[0].gpu_idle);
  for (const StepRow& step : train->steps)
    for (const WaitSeen& wait : step.waits) ASSERT_LT(wait.site, train->sites.size());
  const auto load = in_region(whole, "load");
  ASSERT_TRUE(load);
  EXPECT_EQ(load->per_step[Counter::waits], (Spread{2, 2, 2, 2}));
  EXPECT_EQ(load->per_step[Counter::h2d_stalls], (Spread{2, 2, 2, 2}));
}

TEST(Region, CountsOfASiteOnlyWhatWaitsInIt) {
  TraceBuilder t;
  for (int n = 0; n < 4; ++n)
    t.step(n, [&] {
      t.launch();
      t.range("a", [&] { t.item(); });
      t.range("b", [&] { t.item(), t.item(); });
    });
  Trace trace = t.trace();
  Stack stack;
  stack.python_frames = PythonFrames::known;
  stack.python = {{trace.strings.intern("train.py"), trace.strings.intern("log"), 7}};
  trace.stacks.stacks[1] = stack;
  for (Call& call : trace.calls) call.stack = 1;
  const Steps steps = split_steps(trace);
  const auto waits = find_waits(trace);
  const RunSummary whole = summarize(trace, steps, waits, measure_steps(trace, steps, waits), {"t", 1});
  ASSERT_EQ(whole.sites.size(), 1u);
  EXPECT_EQ(whole.sites[0].count, 12);
  const auto a = in_region(whole, "a"), b = in_region(whole, "b");
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->sites.at(0).count, 4);
  EXPECT_EQ(a->sites[0].judged, 3);
  EXPECT_EQ(a->sites[0].per_step, (Spread{1, 1, 1, 1}));
  EXPECT_EQ(b->sites.at(0).count, 8);
  EXPECT_EQ(b->sites[0].per_step, (Spread{2, 2, 2, 2}));
  EXPECT_EQ(a->sites[0].id, whole.sites[0].id);
  EXPECT_EQ(a->sites[0].blocked_ns + b->sites[0].blocked_ns, whole.sites[0].blocked_ns);
}

TEST(Region, OfAnyDomainIsOneWhereItIsAskedFor) {
  TraceBuilder t;
  for (int n = 0; n < 4; ++n)
    t.range(
        "step " + std::to_string(n),
        [&] {
          t.range(
              "load", [&] { t.upload(64); }, "");
          t.range(
              "forward",
              [&] {
                t.launch(),
                    t.range(
                        "forward", [&] { t.item(); }, ""),
                    t.item();
              },
              "");
        },
        "");
  const std::string file = t.bytes();
  const auto analyzed = [&](const std::string& region) {
    StepOptions options;
    options.regions = {region};
    return analyze(std::move(*parse_native(std::as_bytes(std::span(file)), "t")), {"t", 1}, options);
  };
  EXPECT_TRUE(analyzed("").regions.empty());
  EXPECT_EQ(analyzed("").possible_regions, (std::vector<std::string>{"load", "forward"}));
  const RunSummary run = analyzed("forward");
  ASSERT_EQ(run.regions.size(), 1u);
  EXPECT_EQ(run.regions[0].per_step[Counter::waits], (Spread{2, 2, 2, 2}));
  EXPECT_EQ(run.per_step[Counter::waits], (Spread{3, 3, 3, 3}));
  EXPECT_EQ(analyzed("backward").possible_regions, (std::vector<std::string>{"load", "forward"}));
  EXPECT_TRUE(analyzed("backward").regions.empty());
}

TEST(Region, ThatIsNotThereIsNone) {
  EXPECT_FALSE(in_region(two_regions(), "Train"));
  EXPECT_FALSE(in_region({}, "train"));
}

TEST(Implicit, TimeOfAStepIsThatOfThreadsThatWorkForIt) {
  HandMade t;
  t.step(0, 0, 1000);
  t.call("cudaMalloc_v3020", 10, 60);
  t.call("cudaFree_v3020", 70, 100);
  t.call("cudaFree_v3020", 1100, 1200);
  t.thread = 2;
  t.call("cudaMalloc_v3020", 10, 900);  // launches nothing
  EXPECT_EQ(of(t).steps.at(0).implicit_ns, 80);
}

TEST(Sites, TheWaitOfAProfilerThatStopsIsNotTheProgramsOwn) {
  for (const bool last : {true, false}) {
    HandMade t;
    t.raw.meta.format = "kineto";
    t.work(t.launch(0, 10), 10, 500);
    t.call("cudaDeviceSynchronize_v3020", 20, 510);
    if (!last) t.work(t.launch(600, 610), 610, 700);
    const RunSummary run = of(t);
    ASSERT_EQ(run.sites.size(), 1u);
    EXPECT_EQ(run.sites[0].of_the_tool, last);
  }
}

}  // namespace
}  // namespace zerostall
