#include "profiler/analyze/steps.h"

#include <gtest/gtest.h>

#include "tests/trace/trace_builder.h"

namespace zerostall {
namespace {

using zerostall::testing::TraceBuilder;

std::vector<std::int64_t> numbers(const Steps& steps) {
  std::vector<std::int64_t> list;
  for (const Step& step : steps.steps) list.push_back(step.number);
  return list;
}

TEST(SplitSteps, FindsOurMarksAndTheirRegions) {
  TraceBuilder t;
  for (int n = 5; n < 7; ++n)
    t.step(n, [&] {
      t.range("load", [] {});
      t.range("micro 0", [&] { t.range("train", [] {}); });
      t.range(
          "torch op", [] {}, "");
    });
  const Trace trace = t.trace();
  const Steps steps = split_steps(trace);
  EXPECT_EQ(steps.from, StepsFrom::marks);
  EXPECT_EQ(numbers(steps), (std::vector<std::int64_t>{5, 6}));
  std::vector<std::string_view> regions;
  for (const Region& region : steps.steps[0].regions) regions.push_back(region.name);
  EXPECT_EQ(regions, (std::vector<std::string_view>{"load", "micro 0", "train"}));
}

// A loop asks for one more batch in a step that it has begun, and there is none.
TEST(SplitSteps, LeavesOutStepsThatWereTakenBack) {
  TraceBuilder t;
  for (int n = 0; n < 4; ++n)
    t.step(n, [&] {
      t.range("load", [&] {
        if (n == 1 || n == 3) t.mark(format::MarkKind::instant, "no step", "zerostall");
      });
    });
  t.range("no step", [] {});  // a region of that name is none
  const Trace trace = t.trace();
  const Steps steps = split_steps(trace);
  EXPECT_EQ(numbers(steps), (std::vector<std::int64_t>{0, 2}));
  EXPECT_EQ(steps.unclosed, 0);
  EXPECT_EQ(steps.stray_marks, 3);  // that region, and those of the steps that are gone
}

// Regions made for us count where others mark the steps, too.
TEST(SplitSteps, FindsOurRegionsInStepsOfOthers) {
  TraceBuilder t;
  t.range(
      "ProfilerStep#0", [&] { t.range("allow waits: shown", [] {}); }, "");
  const Trace trace = t.trace();
  const Steps steps = split_steps(trace);
  EXPECT_EQ(steps.from, StepsFrom::profiler);
  ASSERT_EQ(steps.steps.at(0).regions.size(), 1u);
  EXPECT_EQ(steps.steps[0].regions[0].name, "allow waits: shown");
}

TEST(SplitSteps, TrustsOurMarksMoreThanOthers) {
  TraceBuilder t;
  t.range(
      "ProfilerStep#9", [&] { t.step(0, [] {}); }, "");
  const Trace trace = t.trace();
  EXPECT_EQ(numbers(split_steps(trace)), (std::vector<std::int64_t>{0}));
}

TEST(SplitSteps, TakesNamesThatFollowThePattern) {
  for (const char* name : {"ProfilerStep#3", "step 3", "train/iter_3", "Iteration: 3", "batch#3"}) {
    TraceBuilder t;
    t.range(
        name, [] {}, "");
    const Trace trace = t.trace();
    EXPECT_EQ(split_steps(trace).from, StepsFrom::profiler) << name;
    EXPECT_EQ(numbers(split_steps(trace)), (std::vector<std::int64_t>{3})) << name;
  }
  for (const char* name : {"steppe", "batchnorm2d", "stepwise 3 times", "forward"}) {
    TraceBuilder t;
    t.range(
        name, [] {}, "");
    const Trace trace = t.trace();
    EXPECT_EQ(split_steps(trace).from, StepsFrom::none) << name;
  }
}

TEST(SplitSteps, NumbersUnnumberedStepsByPosition) {
  TraceBuilder t;
  for (int i = 0; i < 3; ++i)
    t.range(
        "training step", [] {}, "");
  const Trace trace = t.trace();
  EXPECT_EQ(numbers(split_steps(trace)), (std::vector<std::int64_t>{0, 1, 2}));
}

TEST(SplitSteps, TakesAnotherPattern) {
  TraceBuilder t;
  t.range(
      "epoch 4", [] {}, "");
  const Trace trace = t.trace();
  EXPECT_EQ(split_steps(trace).from, StepsFrom::none);
  EXPECT_EQ(numbers(split_steps(trace, {"^epoch"})), (std::vector<std::int64_t>{4}));
  EXPECT_FALSE(is_valid_pattern("(unclosed"));
}

TEST(SplitSteps, LetsInstantMarksCloseTheStepBefore) {
  TraceBuilder t;
  for (int n = 0; n < 3; ++n) {
    t.mark(format::MarkKind::instant, "step " + std::to_string(n));
    t.launch();
  }
  const Trace trace = t.trace();
  const Steps steps = split_steps(trace);
  EXPECT_EQ(numbers(steps), (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(steps.steps[0].end_ns, steps.steps[1].begin_ns);
  EXPECT_EQ(steps.unclosed, 1);
}

TEST(SplitSteps, DropsUnclosedAndInnerStepsAndSaysSo) {
  TraceBuilder t;
  t.range(
      "step 1",
      [&] {
        t.range(
            "step 0", [] {}, "");
      },
      "");
  t.mark(format::MarkKind::push, "step 2");
  const Trace trace = t.trace();
  const Steps steps = split_steps(trace);
  EXPECT_EQ(numbers(steps), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(steps.overlapping, 1);
  EXPECT_EQ(steps.unclosed, 1);
}

TEST(SplitSteps, LetsTheThreadWithMostMarksDefineThem) {
  TraceBuilder t;
  t.on_thread(1).step(100, [] {});
  for (int n = 0; n < 2; ++n) t.on_thread(2).step(n, [] {});
  const Trace trace = t.trace();
  const Steps steps = split_steps(trace);
  EXPECT_EQ(numbers(steps), (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(trace.threads[steps.steps[0].thread].id, 2u);
  EXPECT_EQ(steps.overlapping, 1);
}

TEST(StepAt, IsHalfOpen) {
  std::vector<Step> steps(2);
  steps[0].begin_ns = 10, steps[0].end_ns = 20;
  steps[1].begin_ns = 20, steps[1].end_ns = 30;
  EXPECT_EQ(step_at(steps, 9), std::nullopt);
  EXPECT_EQ(step_at(steps, 10), 0u);
  EXPECT_EQ(step_at(steps, 20), 1u);
  EXPECT_EQ(step_at(steps, 30), std::nullopt);
  EXPECT_EQ(step_at({}, 5), std::nullopt);
}

std::int64_t stray(const std::vector<std::string>& names) {
  TraceBuilder t;
  for (const std::string& name : names) t.range(name, [] {});
  const Trace trace = t.trace();
  return split_steps(trace).stray_marks;
}

TEST(SplitSteps, CountsMarksOfOurDomainThatAreNoStepAndInNone) {
  EXPECT_EQ(stray({"step 1", "step 2"}), 0);
  EXPECT_EQ(stray({"step 1", "Step 4", "step 6 ", "step", "step -1", "step x"}), 5);
  EXPECT_EQ(stray({"Step 4", "Step 5"}), 0);  // found by the pattern: they are steps
  EXPECT_EQ(stray({"Step 4", "step 6 "}), 1);
  EXPECT_EQ(stray({"load"}), 1);
  EXPECT_EQ(stray({"step 1", "backup", "step 2"}), 0);  // a region between two steps
  TraceBuilder t;
  t.step(0, [&] {
    t.range("Step 4", [] {});
    t.mark(format::MarkKind::instant, "step", "zerostall");
  });
  t.range(
      "not ours", [] {}, "nccl");
  t.mark(format::MarkKind::push, "step 1", "zerostall");
  t.range("load", [] {});  // in the unclosed step
  const Trace trace = t.trace();
  EXPECT_EQ(split_steps(trace).stray_marks, 0);
}

TEST(SplitSteps, RegionsBetweenStepsAreKeptTheOutermostOnly) {
  TraceBuilder t;
  t.step(0, [&] { t.range("load", [] {}); });
  t.range("backup", [&] { t.range("write", [] {}); });
  t.step(1, [] {});
  t.range("validate", [] {});
  const Trace trace = t.trace();
  const Steps steps = split_steps(trace);
  ASSERT_EQ(steps.between.size(), 2u);
  EXPECT_EQ(steps.between[0].name, "backup");
  EXPECT_EQ(steps.between[1].name, "validate");
}

TEST(SplitSteps, EndsAnUnclosedStepAtTheNextOne) {
  TraceBuilder t;
  t.mark(format::MarkKind::start, "step 0", "zerostall", 5);
  t.step(1, [] {});
  t.mark(format::MarkKind::push, "step 2", "zerostall");
  const Trace trace = t.trace();
  const Steps steps = split_steps(trace);
  ASSERT_EQ(steps.open.size(), 2u);
  EXPECT_EQ(steps.open[0].end_ns, steps.steps.at(0).begin_ns);
  EXPECT_GT(steps.open[1].end_ns, steps.open[1].begin_ns + 1'000'000'000);
}

}  // namespace
}  // namespace zerostall
