#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/gate/baseline_file.h"
#include "tests/gate/baseline_runs.h"

namespace zerostall {
namespace {

using testing::baseline_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::judged_against;
using testing::Program;
using testing::run_of;
using testing::told;
using testing::WaitingLine;

const WaitingLine kLoss{};
const WaitingLine kNorm{.function = "clip", .line = 20, .source = "norm.item()"};

Program always(std::vector<WaitingLine> lines) {
  return [lines](std::int64_t) { return lines; };
}

TEST(BaselineUpdate, NothingChangesWhereNothingChanged) {
  const auto logs = [](std::int64_t step) { return step % 10 == 0 ? std::vector{kLoss, kNorm} : std::vector{kLoss}; };
  const Baseline old = baseline_of(run_of(logs));
  for (const std::int64_t steps : {14, 20, 33, 50}) {
    RunSummary run = run_of(logs, {.steps = steps, .first = steps % 7});
    run.meta.tool = "zerostall 0.2.0";
    const Baseline now = baseline_of(run);
    EXPECT_THAT(changes_between(old, now), IsEmpty());
    EXPECT_EQ(render_baseline(tightened(old, now, false)), render_baseline(old));
  }
}

TEST(BaselineUpdate, WhatImprovedIsTakenOver) {
  const Baseline old = baseline_of(run_of(always({kLoss, kNorm}))), now = baseline_of(run_of(always({kLoss})));
  const auto changes = changes_between(old, now);
  ASSERT_FALSE(changes.empty());
  EXPECT_EQ(changes[0].name, "train.py in clip (scalar-read)");
  EXPECT_FALSE(changes[0].now.has_value());
  EXPECT_FALSE(changes[0].worse);
  EXPECT_EQ(tightened(old, now, false), now);
}

TEST(BaselineUpdate, WhatGotWorseIsNotUnlessAccepted) {
  const Baseline old = baseline_of(run_of(always({kLoss}))), now = baseline_of(run_of(always({kLoss, kNorm})));
  const auto changes = changes_between(old, now);
  ASSERT_FALSE(changes.empty());
  EXPECT_TRUE(changes[0].worse);
  EXPECT_FALSE(changes[0].before.has_value());
  EXPECT_EQ(tightened(old, now, false).processes, old.processes);
  EXPECT_EQ(tightened(old, now, true), now);
}

TEST(BaselineUpdate, BetterAndWorseAtOnceTakesTheBetter) {
  WaitingLine worse = kNorm;
  worse.function = "evaluate";
  worse.what = "cudaMemcpyAsync 8 B device to host + cudaStreamSynchronize";
  const Baseline old = baseline_of(run_of(always({kLoss, kLoss, kNorm})));
  const Baseline now = baseline_of(run_of(always({kLoss, kNorm, worse})));
  const Baseline kept = tightened(old, now, false);
  ASSERT_EQ(kept.processes[0].sites.size(), 2u);
  for (const BaselineSite& site : kept.processes[0].sites) EXPECT_EQ(site.waits.max, 1) << site.place;
}

// What is rare must not be lost because a shorter run did not come to it.
TEST(BaselineUpdate, AShorterRunTakesNothingAwayThatItDidNotReach) {
  const auto before = [](std::int64_t step) {
    return step == 40 ? std::vector{kLoss, kLoss, kNorm} : std::vector{kLoss, kLoss};
  };
  const Baseline old = baseline_of(run_of(before, {.steps = 50}));
  const Baseline kept = tightened(old, baseline_of(run_of(always({kLoss}))), false);
  ASSERT_EQ(kept.processes[0].sites.size(), 2u);
  EXPECT_EQ(kept.processes[0].judged, 48);
  const auto after = [](std::int64_t step) { return step == 40 ? std::vector{kLoss, kNorm} : std::vector{kLoss}; };
  EXPECT_EQ(told(judged_against(kept, run_of(after, {.steps = 50}))), "");
  EXPECT_NE(told(judged_against(kept, run_of(before, {.steps = 50}))), "");
}

TEST(BaselineUpdate, AnEditedLineIsKnownByItsNewTextAfterwards) {
  WaitingLine edited = kLoss;
  edited.source = "loss . item()";
  const Baseline old = baseline_of(run_of(always({kLoss}))), now = baseline_of(run_of(always({edited})));
  EXPECT_THAT(changes_between(old, now), IsEmpty());
  EXPECT_EQ(tightened(old, now, false), now);
}

TEST(BaselineUpdate, OtherSettingsReplaceIt) {
  const Baseline old = baseline_of(run_of(always({kLoss})));
  const Baseline now = baseline_of(run_of(always({kLoss, kLoss}), {.device = "simulated A100"}));
  EXPECT_THAT(why_not_comparable(old, now), HasSubstr("is of simulated H200, this run of simulated A100"));
  EXPECT_EQ(tightened(old, now, false), now);
  EXPECT_EQ(why_not_comparable(old, old), "");
}

// However often and in whatever order it is updated, what it then holds lets the run pass that it was updated from.
TEST(BaselineUpdate, WhatWasAcceptedPasses) {
  for (std::size_t old_waits = 1; old_waits < 4; ++old_waits)
    for (std::size_t waits = 1; waits < 4; ++waits)
      for (const std::int64_t steps : {14, 20, 50}) {
        const auto program = [&](std::int64_t step) {
          std::vector<WaitingLine> lines(waits, kLoss);
          if (step % 4 == 1) lines.push_back(kNorm);
          return lines;
        };
        const Baseline old = baseline_of(run_of(always(std::vector<WaitingLine>(old_waits, kLoss)), {.steps = 30}));
        const RunSummary run = run_of(program, {.steps = steps});
        const Baseline updated = tightened(old, baseline_of(run), true);
        EXPECT_EQ(told(judged_against(updated, run)), "") << old_waits << " " << waits << " " << steps;
        const auto read = parse_baseline(render_baseline(updated), "b");
        EXPECT_TRUE(read) << read.error().message;
      }
}

}  // namespace
}  // namespace zerostall
