#include "profiler/analyze/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "profiler/trace/read_native.h"
#include "tests/trace/trace_builder.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const char* kMeasured = R"({"tool": "test", "clock": "measured", "device": {"name": "NVIDIA H200"}})";

RunSummary run_of(TraceBuilder& t, std::int64_t warmup = 2) {
  const std::string file = t.bytes();
  return analyze(std::move(*parse_native(std::as_bytes(std::span(file)), "t")), {"t", warmup});
}

RunSummary run_of(const std::function<void(TraceBuilder&, int)>& step, int steps = 8, const char* meta = nullptr) {
  TraceBuilder t;
  if (meta) t.meta = meta;
  for (int n = 0; n < steps; ++n)
    t.step(n, [&] {
      for (int i = 0; i < 20; ++i) t.launch();
      step(t, n);
    });
  return run_of(t);
}

RunSummary plain(int items, int uploads) {
  return run_of([=](TraceBuilder& t, int) {
    for (int i = 0; i < items; ++i) t.item();
    for (int i = 0; i < uploads; ++i) t.upload(512);
  });
}

Comparison compare(const RunSummary& a, const RunSummary& b) {
  return compare_runs(std::span(&a, 1), std::span(&b, 1));
}

std::vector<std::string> whats(const std::vector<ItemChange>& rows) {
  std::vector<std::string> list;
  for (const ItemChange& row : rows) list.push_back(row.what);
  return list;
}

const CounterChange& counter(const Comparison& all, Counter counter) {
  return all.counters[static_cast<std::size_t>(counter)];
}

constexpr auto kItem = "cudaMemcpyAsync 4 B device to host + cudaStreamSynchronize";
constexpr auto kUpload = "cudaMemcpyAsync 512 B host to device + cudaStreamSynchronize";

TEST(CompareRuns, TellsWhatIsGoneNewAndChanged) {
  const Comparison all = compare(plain(3, 2), run_of([](TraceBuilder& t, int) {
                                   t.item();
                                   t.sync();
                                 }));
  EXPECT_EQ(all.basis, Basis::step);
  EXPECT_EQ(all.verdict, CountsVerdict::differ);
  EXPECT_THAT(whats(all.waits.gone), ElementsAre(kUpload));
  EXPECT_THAT(whats(all.waits.added), ElementsAre("cudaStreamSynchronize"));
  EXPECT_THAT(whats(all.waits.changed), ElementsAre(kItem));
  EXPECT_EQ(all.waits.changed[0].a.spread->median, 3);
  EXPECT_EQ(all.waits.changed[0].b.spread->median, 1);
  EXPECT_EQ(counter(all, Counter::waits).a->spread->median, 5);
  EXPECT_EQ(counter(all, Counter::waits).b->spread->median, 2);
  EXPECT_EQ(counter(all, Counter::waits).same, false);
  EXPECT_THAT(all.reasons, IsEmpty());
  EXPECT_THAT(whats(all.copies.gone), IsEmpty());  // told by the waits
}

TEST(CompareRuns, EqualRunsAreEqualHoweverManySteps) {
  const auto step = [](TraceBuilder& t, int n) {
    t.item();
    if (n % 10 == 9) t.item(8);
  };
  const Comparison all = compare(run_of(step, 22), run_of(step, 45));
  EXPECT_EQ(all.verdict, CountsVerdict::equal);
  EXPECT_EQ(all.waits.same.size(), 2u);
  EXPECT_THAT(all.reasons, IsEmpty());
}

TEST(CompareRuns, ARareWaitThatBecomesMoreFrequentDiffers) {
  const auto every = [](int period) {
    return [=](TraceBuilder& t, int n) {
      if (n % period == 0) t.item();
    };
  };
  EXPECT_EQ(compare(run_of(every(20), 102), run_of(every(10), 102)).verdict, CountsVerdict::differ);
  EXPECT_EQ(compare(run_of(every(20), 102), run_of(every(5), 202)).verdict, CountsVerdict::differ);
}

TEST(CompareRuns, TheOrderOfRunsChangesNothing) {
  std::vector<RunSummary> a = {plain(3, 0), plain(2, 1), plain(3, 1)};
  const std::vector<RunSummary> b = {plain(1, 0), plain(1, 1)};
  const Comparison once = compare_runs(a, b);
  EXPECT_THAT(once.notes, Contains(HasSubstr("the runs of A differ among themselves in waits per step: 3, 4")));
  std::rotate(a.begin(), a.begin() + 1, a.end());
  const Comparison again = compare_runs(a, b);
  EXPECT_EQ(whats(once.waits.changed), whats(again.waits.changed));
  EXPECT_EQ(once.notes, again.notes);
  EXPECT_EQ(once.times.rows[0].a, again.times.rows[0].a);
  EXPECT_EQ(once.times.rows[0].interval, again.times.rows[0].interval);
  EXPECT_EQ(once.waits.changed[0].a.samples, 18);
  EXPECT_EQ(once.waits.changed[0].a.sum, 6 * (3 + 2 + 3));
}

TEST(CompareRuns, SaysWhenTheStepsDoNotDoTheSameWork) {
  const auto micro_steps = [](int micro) {
    return run_of([=](TraceBuilder& t, int) {
      for (int i = 0; i < 20 * (micro - 1); ++i) t.launch();
      t.item();
    });
  };
  const Comparison all = compare(micro_steps(1), micro_steps(4));
  EXPECT_THAT(all.reasons, ElementsAre("kernels per step: 20 → 80, 4 times as many: accumulated gradients?"));
  EXPECT_EQ(all.verdict, CountsVerdict::equal);
}

TEST(CompareRuns, SimulatedAgainstMeasuredComparesCountsAlone) {
  const auto step = [](TraceBuilder& t, int) { t.item(); };
  const Comparison all = compare(run_of(step), run_of(step, 8, kMeasured));
  EXPECT_TRUE(all.simulated_against_measured);
  EXPECT_EQ(all.verdict, CountsVerdict::equal);
  EXPECT_THAT(all.reasons, IsEmpty());
  EXPECT_EQ(all.times.why_not, "simulated against measured");
  EXPECT_THAT(all.times.rows, IsEmpty());
}

TEST(CompareRuns, ClaimsADifferenceInTimeOnlyWhereItIsOne) {
  const auto with_pause = [](std::int64_t pause) {
    return run_of(
        [=](TraceBuilder& t, int n) {
          t.item();
          t.now_ns += pause + (n * 37) % 11;
        },
        14, kMeasured);
  };
  const Comparison longer = compare(with_pause(1000), with_pause(90'000));
  EXPECT_EQ(longer.times.rows.at(0).verdict, TimeVerdict::longer);
  EXPECT_LT(longer.times.rows[0].test->p, 0.001);
  EXPECT_GT(longer.times.rows[0].interval->low, 80'000);
  EXPECT_EQ(compare(with_pause(90'000), with_pause(1000)).times.rows[0].verdict, TimeVerdict::shorter);
  EXPECT_EQ(compare(with_pause(1000), with_pause(1000)).times.rows[0].verdict, TimeVerdict::no_difference);
  EXPECT_FALSE(longer.times.modelled);
}

// The GPU starves between the read and the next launch: for longer, the longer the host does something else there.
TEST(CompareRuns, AvoidableIdleIsTestedAsTheOtherTimesAre) {
  const auto with_pause = [](std::int64_t pause, bool records) {
    return run_of(
        [=](TraceBuilder& t, int n) {
          t.item();
          t.now_ns += pause + (n * 37) % 11;
          t.launch();
          if (!records) t.gpu_ops.clear();
        },
        14, kMeasured);
  };
  const Comparison longer = compare(with_pause(1000, true), with_pause(90'000, true));
  const TimeChange& row = longer.times.rows.at(2);
  EXPECT_EQ(row.key, "avoidable_idle_ns");
  EXPECT_EQ(row.verdict, TimeVerdict::longer);
  EXPECT_LT(row.test->p, 0.001);
  EXPECT_GT(row.interval->low, 80'000);
  EXPECT_EQ(compare(with_pause(1000, true), with_pause(1000, true)).times.rows[2].verdict, TimeVerdict::no_difference);
  const Comparison unknown = compare(with_pause(1000, true), with_pause(1000, false));
  EXPECT_FALSE(unknown.times.rows[2].b);
  EXPECT_EQ(unknown.times.rows[2].verdict, TimeVerdict::cannot_tell);
}

TEST(CompareRuns, CallsTheSidesAsItIsTold) {
  TraceBuilder t;
  t.item();
  const RunSummary run = run_of(t);
  const std::span<const RunSummary> side(&run, 1);
  EXPECT_THAT(compare_runs(side, side, kBeforeAndAfter).reasons, ElementsAre(HasSubstr("no steps in both runs")));
  RunSummary lossy = plain(1, 0);
  lossy.lost = 3;
  const RunSummary whole = plain(1, 0);
  EXPECT_THAT(compare(whole, lossy).notes, Contains(HasSubstr("lost in B")));
  EXPECT_THAT(compare_runs(std::span(&whole, 1), std::span(&lossy, 1), kBeforeAndAfter).notes, IsEmpty());
}

TEST(CompareRuns, FewSteadyStepsTellNothingOfTimes) {
  const auto step = [](TraceBuilder& t, int) { t.item(); };
  const Comparison all = compare(run_of(step, 6, kMeasured), run_of(step, 20, kMeasured));
  EXPECT_EQ(all.times.why_not, "4 steady steps on a side, 5 are needed");
  EXPECT_EQ(all.times.rows.at(0).verdict, TimeVerdict::cannot_tell);
  EXPECT_EQ(all.times.rows[0].a->samples, 4);
  EXPECT_FALSE(all.times.rows[0].test);
}

TEST(CompareRuns, WithoutStepsWholeRunsAreCompared) {
  TraceBuilder with, without;
  for (int i = 0; i < 5; ++i) {
    with.launch();
    with.item();
    without.launch();
  }
  const Comparison all = compare(run_of(with), run_of(without));
  EXPECT_EQ(all.basis, Basis::run);
  EXPECT_THAT(whats(all.waits.gone), ElementsAre(kItem));
  EXPECT_EQ(all.waits.gone[0].a.sum, 5);
  EXPECT_THAT(all.reasons, ElementsAre(HasSubstr("no steps in A and B")));
  EXPECT_EQ(all.times.why_not, "a side has no steps");
}

TEST(CompareRuns, SizesThatVaryAreOneRow) {
  const auto varying = [](std::uint64_t first) {
    return [=](TraceBuilder& t, int n) { t.upload(first + 8 * static_cast<std::uint64_t>(n)); };
  };
  const Comparison all = compare(run_of(varying(4096)), run_of(varying(8192)));
  EXPECT_EQ(all.verdict, CountsVerdict::equal);
  EXPECT_THAT(whats(all.waits.same), ElementsAre("cudaMemcpyAsync 12 sizes, host to device + cudaStreamSynchronize"));
  EXPECT_EQ(all.waits.same[0].sizes, 12);
}

TEST(CompareRuns, ACopyThatNoLongerWaitsIsToldAsACopy) {
  const auto pinned = run_of([](TraceBuilder& t, int) { t.copy("cudaMemcpyAsync", kHostToDevice, 512, kPinned); });
  const Comparison all = compare(plain(0, 1), pinned);
  EXPECT_THAT(whats(all.waits.gone), ElementsAre(kUpload));
  EXPECT_THAT(whats(all.copies.added), ElementsAre("cudaMemcpyAsync 512 B host to device, pinned"));
  EXPECT_THAT(whats(all.copies.gone), IsEmpty());
}

TEST(CompareRuns, AWaitOfAnotherSizeIsTheSameWait) {
  const auto upload = [](std::uint64_t bytes) { return run_of([=](TraceBuilder& t, int) { t.upload(bytes); }); };
  const Comparison all = compare(upload(512), upload(1024));
  EXPECT_EQ(all.verdict, CountsVerdict::equal);
  EXPECT_THAT(whats(all.waits.resized),
              ElementsAre("cudaMemcpyAsync 512 → 1024 B host to device + cudaStreamSynchronize"));
  EXPECT_THAT(all.notes, Contains(HasSubstr("other sizes")));
}

TEST(CompareRuns, AShorterRunOfTheSameProgramHasAsManyWaitsPerKernel) {
  const auto run = [](int items) {
    TraceBuilder t;
    for (int i = 0; i < items; ++i) {
      for (int k = 0; k < 4; ++k) t.launch();
      t.item();
    }
    return run_of(t);
  };
  const Comparison all = compare(run(30), run(20));
  EXPECT_EQ(all.verdict, CountsVerdict::differ);
  EXPECT_DOUBLE_EQ(all.waits_per_1000_kernels_a.value(), 250);
  EXPECT_DOUBLE_EQ(all.waits_per_1000_kernels_b.value(), 250);
  EXPECT_THAT(all.reasons, Contains("kernels per run: 120 → 80"));
}

// Two places of the same call, as a trace with stacks tells them.
RunSummary with_places(std::vector<std::pair<std::string, std::int64_t>> places, std::uint32_t line) {
  std::int64_t waits = 0;
  for (const auto& [function, count] : places) waits += count;
  RunSummary run = plain(static_cast<int>(waits), 0);
  run.sites.clear();
  for (const auto& [function, count] : places) {
    WaitStack stack;
    stack.id = static_cast<std::uint32_t>(run.stacks.size()) + 1;
    stack.python_frames = PythonFrames::known;
    stack.python = {{"item", "site-packages/torch/_tensor.py", 10, true}, {function, "train.py", line, false}};
    stack.waits = {{kItem, 8 * count, 6 * count, Spread{count, count, count, count}}};
    run.stacks.push_back(stack);
  }
  return run;
}

TEST(CompareRuns, MatchesWaitsByFunctionAndNeverByLine) {
  const Comparison all =
      compare(with_places({{"log", 1}, {"clip", 2}}, 31), with_places({{"log", 1}, {"sample", 2}}, 61));
  EXPECT_EQ(all.places, Places::functions);
  EXPECT_EQ(all.waits.same.size(), 1u);
  EXPECT_EQ(all.waits.same[0].place, "train.py:31 in log");
  EXPECT_EQ(all.waits.gone.at(0).place, "train.py:31 in clip");
  EXPECT_EQ(all.waits.added.at(0).place, "train.py:61 in sample");
  EXPECT_EQ(all.verdict, CountsVerdict::differ);  // as many, but elsewhere
}

TEST(CompareRuns, ACopyOfTheScriptUnderAnotherNameIsTheSamePlace) {
  RunSummary a = with_places({{"log", 1}}, 31), b = with_places({{"log", 1}}, 31);
  b.stacks[0].python[1].file = "train_fixed.py";
  EXPECT_EQ(compare(a, b).verdict, CountsVerdict::differ);
  a.meta.script = "train.py";
  b.meta.script = "train_fixed.py";
  EXPECT_EQ(compare(a, b).verdict, CountsVerdict::equal);
}

TEST(CompareRuns, APlaceThatOnlyOneSideTellsIsNoDifference) {
  const RunSummary a = with_places({{"log", 1}, {"clip", 2}}, 31);
  RunSummary b = a;
  b.stacks[1].id = 0;
  b.stacks[1].python.clear();
  const Comparison all = compare(a, b);
  EXPECT_EQ(all.places, Places::functions);
  EXPECT_EQ(all.verdict, CountsVerdict::equal);
  b.stacks[1].waits[0].per_step = Spread{3, 3, 3, 3};
  b.stacks[1].waits[0].judged = 18;
  EXPECT_EQ(compare(a, b).verdict, CountsVerdict::differ);
}

// The same with the text of the line, which sites know.
RunSummary with_source(RunSummary run, const std::string& source) {
  Site site;
  site.from = SiteFrom::own_line;
  site.file = "train.py";
  site.line = run.stacks.at(0).python.at(1).line;
  site.place = "train.py:" + std::to_string(site.line) + " in log";
  site.source = source;
  site.what = kItem;
  site.cause.kind = CauseKind::scalar_read;
  run.sites = {site};
  return run;
}

TEST(CompareRuns, MatchesByTheTextOfTheLineWhereItIsKnown) {
  const RunSummary a = with_source(with_places({{"log", 1}}, 31), "log(loss.item())");
  const Comparison moved = compare(a, with_source(with_places({{"log", 1}}, 61), "log(loss.item())"));
  EXPECT_EQ(moved.places, Places::lines);
  EXPECT_EQ(moved.verdict, CountsVerdict::equal);
  EXPECT_EQ(moved.waits.same.at(0).cause, "scalar-read");
  const Comparison other = compare(a, with_source(with_places({{"log", 1}}, 31), "log(norm.item())"));
  EXPECT_EQ(other.verdict, CountsVerdict::differ);
  EXPECT_EQ(other.waits.gone.size(), 1u);
  const Comparison unknown = compare(a, with_places({{"log", 1}}, 61));  // its file was changed since
  EXPECT_EQ(unknown.places, Places::functions);
  EXPECT_EQ(unknown.verdict, CountsVerdict::equal);
}

TEST(CompareRuns, WithoutStacksOnASideWaitsAreMatchedByWhatTheyAre) {
  const Comparison all = compare(with_places({{"log", 2}}, 31), plain(2, 0));
  EXPECT_EQ(all.places, Places::none);
  EXPECT_EQ(all.verdict, CountsVerdict::equal);
}

TEST(CompareRuns, ATruncatedSideIsSaidToBe) {
  TraceBuilder t;
  t.closed = false;
  for (int n = 0; n < 8; ++n)
    t.step(n, [&] {
      for (int i = 0; i < 20; ++i) t.launch();
      t.item();
    });
  EXPECT_THAT(compare(plain(1, 0), run_of(t)).notes, Contains(HasSubstr("the trace of B is not complete")));
}

TEST(CompareRuns, AnEmptySideIsNoTrouble) {
  const RunSummary run = plain(1, 0);
  const Comparison all = compare_runs(std::span(&run, 1), {});
  EXPECT_EQ(all.basis, Basis::run);
  EXPECT_EQ(counter(all, Counter::waits).b, std::nullopt);
}

}  // namespace
}  // namespace zerostall
