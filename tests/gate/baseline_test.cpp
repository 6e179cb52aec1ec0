// What a baseline tells of a run: what is more, what is fewer, and what cannot be told.
#include "profiler/gate/baseline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/gate/baseline_runs.h"

namespace zerostall {
namespace {

using ::testing::AllOf;
using testing::baseline_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::judged_against;
using ::testing::Not;
using testing::Program;
using testing::run_of;
using testing::RunShape;
using testing::told;
using testing::WaitingLine;

const WaitingLine kLoss{};
const WaitingLine kNorm{.line = 20, .source = "norm.item()"};
const WaitingLine kBatch{.file = "data.py",
                         .function = "load",
                         .line = 5,
                         .source = "batch.cuda()",
                         .cause = CauseKind::pageable_batch,
                         .what = "cudaMemcpyAsync 4096 B host to device + cudaStreamSynchronize",
                         .region = "load",
                         .upload = true};

Program always(std::vector<WaitingLine> lines) {
  return [lines](std::int64_t) { return lines; };
}

Program every(std::int64_t period, WaitingLine line, std::vector<WaitingLine> rest = {}) {
  return [=](std::int64_t step) {
    auto lines = rest;
    if (step % period == 0) lines.push_back(line);
    return lines;
  };
}

TEST(Baseline, TheSameRunHasNothingToTell) {
  const RunSummary run = run_of(always({kLoss, kBatch, kBatch}));
  const CheckReport report = judged_against(baseline_of(run), run);
  EXPECT_EQ(told(report), "");
  EXPECT_THAT(report.notes, IsEmpty());
  ASSERT_EQ(report.compared.size(), 3u);
  EXPECT_EQ(report.compared[0].name, "waits per step");
  EXPECT_EQ(report.compared[0].before, 3);
  EXPECT_EQ(report.compared[0].after, 3);
}

TEST(Baseline, ANewPlaceIsAViolationThatNamesIt) {
  const CheckReport report =
      judged_against(baseline_of(run_of(always({kLoss}))), run_of(always({kLoss, {.function = "log", .line = 44}})));
  EXPECT_EQ(told(report),
            "baseline: 1 wait per step at a place that is not in the baseline: train.py:44 in log (scalar-read)\n");
  const Finding& finding = report.findings.at(0);
  EXPECT_EQ(finding.site.value().file, "train.py");
  EXPECT_EQ(finding.site.value().line, 44u);
  EXPECT_EQ(finding.site.value().waits, 1);
  EXPECT_EQ(report.compared.at(0).before, 1);
  EXPECT_EQ(report.compared.at(0).after, 2);
}

TEST(Baseline, MoreAtAKnownPlaceIsOneFinding) {
  const CheckReport report = judged_against(baseline_of(run_of(always({kLoss}))), run_of(always({kLoss, kLoss})));
  EXPECT_EQ(told(report), "baseline: 2 waits per step, 1 in the baseline: train.py:10 in step (scalar-read)\n");
}

TEST(Baseline, MoreOftenIsTold) {
  const CheckReport report =
      judged_against(baseline_of(run_of(every(10, kLoss), {.steps = 50})), run_of(every(5, kLoss), {.steps = 50}));
  EXPECT_EQ(told(report),
            "baseline: 9 waits in 48 steps, 4 in 48 in the baseline: train.py:10 in step (scalar-read)\n");
  ASSERT_GE(report.compared.size(), 1u);
  EXPECT_EQ(report.compared[0].name, "waits in 100 steps");
  EXPECT_EQ(report.compared[0].before, 8);
  EXPECT_EQ(report.compared[0].after, 19);
}

TEST(Baseline, OtherMeansAtTheSamePlaceIsMoreOfACounter) {
  WaitingLine upload = kLoss;
  upload.upload = true;
  const CheckReport report = judged_against(baseline_of(run_of(always({kLoss}))), run_of(always({upload})));
  EXPECT_EQ(told(report), "baseline: 1 H2D stall per step, 0 in the baseline\n");
  EXPECT_EQ(report.findings.at(0).site.value().line, 10u);
}

TEST(Baseline, AWaitThatMovesIntoAnotherRegionIsTold) {
  WaitingLine moved = kLoss;
  moved.region = "load";
  const CheckReport report = judged_against(baseline_of(run_of(always({kLoss}))), run_of(always({moved})));
  EXPECT_THAT(told(report), HasSubstr("baseline: 1 wait per step, 0 in the baseline: in region load\n"));
}

TEST(Baseline, LinesAboveChangeNothing) {
  WaitingLine lower = kLoss;
  lower.line += 30;
  const CheckReport report = judged_against(baseline_of(run_of(always({kLoss}))), run_of(always({lower})));
  EXPECT_EQ(told(report), "");
  EXPECT_THAT(report.notes, IsEmpty());
}

TEST(Baseline, AnEditedLineIsANoteAndNoNewWait) {
  WaitingLine edited = kLoss;
  edited.source = "loss . item()";
  const CheckReport report = judged_against(baseline_of(run_of(always({kLoss}))), run_of(always({edited})));
  EXPECT_EQ(told(report), "");
  EXPECT_THAT(report.notes, ElementsAre("edited since the baseline, and taken for the same waits: train.py:10 in step "
                                        "(scalar-read)"));
}

TEST(Baseline, AnEditedLineDoesNotHideANewOne) {
  WaitingLine edited = kLoss;
  edited.source = "loss . item()";
  const CheckReport report = judged_against(baseline_of(run_of(always({kLoss}))), run_of(always({edited, kNorm})));
  EXPECT_THAT(told(report), HasSubstr("baseline: 1 wait per step at a place that is not in the baseline"));
}

TEST(Baseline, AWaitThatMovedSaysSo) {
  WaitingLine moved = kLoss;
  moved.file = "log.py";
  const CheckReport report = judged_against(baseline_of(run_of(always({kLoss}))), run_of(always({moved})));
  EXPECT_THAT(told(report), HasSubstr("log.py:10 in step (scalar-read); moved there from train.py in step?"));
}

TEST(Baseline, FewerIsANoteUnlessThePolicyWantsMore) {
  const Baseline baseline = baseline_of(run_of(always({kLoss, kBatch})));
  const RunSummary run = run_of(always({kBatch}));
  EXPECT_EQ(told(judged_against(baseline, run)),
            "improved (warn): 0 waits per step, 1 in the baseline: train.py in step (scalar-read); `zerostall baseline "
            "update` takes it over\n");
  Policy policy;
  policy.improved_is_violation = true;
  EXPECT_EQ(judged_against(baseline, run, policy).findings.at(0).level, Level::error);
}

TEST(Baseline, WhatIsAllowedIsNeitherTooMuchNorGone) {
  Policy policy;
  policy.allow = {{.site = "train.py:step", .waits_per_step = 2, .reason = "shown"}};
  EXPECT_EQ(told(judged_against(baseline_of(run_of(always({kLoss}))), run_of(always({kLoss})), policy)), "");
  EXPECT_EQ(told(judged_against(baseline_of(run_of(always({kLoss}))), run_of(always({kLoss, kLoss})), policy)), "");
  EXPECT_NE(
      told(judged_against(baseline_of(run_of(always({kLoss}))), run_of(always({kLoss, kLoss, kLoss, kLoss})), policy)),
      "");
}

// Two things that first meet in a later step are no wait more.
TEST(Baseline, WaitsThatMeetAreNotMore) {
  const auto program = [](std::int64_t step) {
    std::vector<WaitingLine> lines;
    if (step % 6 == 0) lines.push_back(kLoss);
    if (step % 7 == 0) lines.push_back(kNorm);
    return lines;
  };
  EXPECT_EQ(told(judged_against(baseline_of(run_of(program)), run_of(program, {.steps = 100}))), "");
}

TEST(Baseline, WhatComesOnlyLaterThanTheBaselineRanCannotBeTold) {
  const auto late = [](std::int64_t step) { return step == 30 ? std::vector{kLoss, kNorm} : std::vector{kLoss}; };
  const Baseline baseline = baseline_of(run_of(late));
  EXPECT_EQ(
      told(judged_against(baseline, run_of(late, {.steps = 40}))),
      "cannot-tell: 1 wait in 38 steps at a place that is not in the baseline: train.py:20 in step (scalar-read); "
      "in later steps than the baseline has (2 of warm-up, 18 judged): check a run of as many steps, or update it "
      "from one that is as long as this\n");
  const auto early = [](std::int64_t step) { return step == 7 ? std::vector{kLoss, kNorm} : std::vector{kLoss}; };
  EXPECT_THAT(told(judged_against(baseline, run_of(early, {.steps = 40}))), HasSubstr("baseline: 1 wait in 38 steps"));
}

TEST(Baseline, OtherSettingsCannotBeCompared) {
  const Program program = always({kLoss});
  const Program worse = always({kLoss, kLoss});
  Baseline baseline = baseline_of(run_of(program));
  baseline.file = "b.json";
  EXPECT_EQ(
      told(judged_against(baseline, run_of(worse, {.device = "simulated A100"}))),
      "cannot-tell: baseline b.json is of simulated H200, this run of simulated A100: check what it was made for, "
      "or keep one baseline for each setting (`zerostall baseline update -o FILE`)\n");
  EXPECT_THAT(told(judged_against(baseline, run_of(worse, {.kernels = 112}))),
              HasSubstr("cannot-tell: baseline b.json is of 100 kernels per step, this run of 112"));
  EXPECT_THAT(told(judged_against(baseline, run_of(worse, {.kernels = 110}))), HasSubstr("baseline: 2 waits"));
  EXPECT_THAT(told(judged_against(baseline, run_of(worse, {.warmup = 1}))),
              HasSubstr("cannot-tell: baseline b.json leaves out 2 steps of warm-up, this run 1"));
  EXPECT_THAT(told(judged_against(baseline, run_of(worse, {.warmup = 3}))), HasSubstr("baseline: 2 waits"));
  RunSummary by_profiler = run_of(worse);
  by_profiler.steps_from = StepsFrom::profiler;
  EXPECT_THAT(told(judged_against(baseline, by_profiler)),
              HasSubstr("is of steps by marks, this run of steps by profiler"));
}

TEST(Baseline, RanksAreMatchedAndAMissingOneIsToldOf) {
  const RunSummary r0 = run_of(always({kLoss}), {.rank = 0}), r1 = run_of(always({kBatch}), {.rank = 1});
  const RunSummary r2 = run_of(always({kBatch}), {.rank = 2}), more = run_of(always({kBatch, kBatch}), {.rank = 1});
  const CheckedRun both[] = {{"rank1", &r1}, {"rank0", &r0}};
  const Baseline baseline = make_baseline(both, 3, StepsWanted::marked);
  const auto judge = [&](std::vector<CheckedRun> runs) {
    CheckReport report;
    std::vector<AllowedWaits> allowed;
    for (const CheckedRun& run : runs) allowed.push_back(apply_allowances(*run.summary, {}, {}));
    judge_baseline({}, baseline, runs, allowed, report);
    return report;
  };
  EXPECT_EQ(told(judge({{"rank0", &r0}, {"rank1", &r1}})), "");
  const CheckReport report = judge({{"rank0", &r0}, {"rank1", &more}});
  EXPECT_THAT(told(report), HasSubstr("baseline: 2 waits per step, 1 in the baseline: data.py:5 in load"));
  EXPECT_EQ(report.findings.at(0).run, "rank1");
  EXPECT_THAT(told(judge({{"rank0", &r0}, {"rank2", &r2}})),
              AllOf(HasSubstr("cannot-tell: rank 1 of the baseline is not in this recording"),
                    HasSubstr("cannot-tell: rank 2 is not in the baseline")));
  EXPECT_THAT(told(judge({{"a", &r0}, {"b", &r0}})), HasSubstr("which process is which"));
}

TEST(Baseline, OfAnIncompleteRunOnlyWhatIsMoreIsCertain) {
  const Baseline baseline = baseline_of(run_of(always({kLoss, kBatch})));
  RunSummary more = run_of(always({kLoss, kBatch, kBatch})), moved = run_of(always({kNorm, kBatch, kLoss}));
  RunSummary fewer = run_of(always({kLoss}), {.kernels = 40});
  more.lost = moved.lost = fewer.lost = 5;
  EXPECT_THAT(told(judged_against(baseline, more)),
              HasSubstr("baseline: 2 waits per step, 1 in the baseline: data.py"));
  EXPECT_THAT(told(judged_against(baseline, moved)), AllOf(HasSubstr("cannot-tell: 1 wait per step at a place"),
                                                           HasSubstr("baseline: 3 waits per step, 2 in")));
  EXPECT_EQ(told(judged_against(baseline, fewer)), "");
}

TEST(Baseline, ARunThatIsNoMeasureIsSaidToBeNone) {
  RunSummary cut = run_of(always({kLoss}));
  cut.lost = 7;
  const Baseline baseline = baseline_of(cut);
  EXPECT_EQ(baseline.doubt, "7 records of GPU work lost");
  EXPECT_EQ(told(judged_against(baseline, run_of(always({kLoss})))),
            "cannot-tell: the baseline is no measure: 7 records of GPU work lost\n");
}

TEST(Baseline, InferredStepsAreComparedInPlacesAndSums) {
  Policy policy;
  policy.run.steps = StepsWanted::inferred;
  const auto inferred = [](const Program& program) {
    RunSummary run = run_of(program);
    run.steps_from = StepsFrom::period;
    return run;
  };
  const RunSummary run = inferred(always({kLoss}));
  const CheckedRun one[] = {{"", &run}};
  const Baseline baseline = make_baseline(one, 3, StepsWanted::inferred);
  EXPECT_EQ(baseline.doubt, "");
  // A wait that lies at the edge of a step, and once comes to lie in the next.
  const auto at_the_edge = [](std::int64_t step) {
    return std::vector<WaitingLine>(step == 8 ? 0 : step == 9 ? 2 : 1, kLoss);
  };
  EXPECT_EQ(told(judged_against(baseline, inferred(at_the_edge), policy)), "");
  EXPECT_THAT(told(judged_against(baseline, inferred(always({kLoss, kLoss})), policy)),
              HasSubstr("baseline: 36 waits in 18 steps, 18 in 18 in the baseline"));
  EXPECT_THAT(told(judged_against(baseline, inferred(always({kLoss, kBatch})), policy)), HasSubstr("baseline: 1 wait"));
  EXPECT_EQ(told(judged_against(baseline, run)), "") << "not wanted: `check` says so";
}

TEST(Baseline, ChangedVersionsAreToldBesideAChange) {
  const Baseline baseline = baseline_of(run_of(always({kLoss})));
  RunSummary same = run_of(always({kLoss})), more = run_of(always({kLoss, kLoss}));
  same.meta.tool = more.meta.tool = "zerostall 0.2.0";
  EXPECT_THAT(judged_against(baseline, same).notes, IsEmpty());
  EXPECT_THAT(
      judged_against(baseline, more).notes,
      ElementsAre("changed since the baseline as well, and perhaps the reason: zerostall 0.1.0 → zerostall 0.2.0"));
}

TEST(Baseline, ARegionThatItDoesNotKnowIsJudgedByPlace) {
  RunSummary run = run_of(always({kLoss}));
  Baseline baseline = baseline_of(run);
  baseline.processes[0].regions.erase("train");
  const CheckReport report = judged_against(baseline, run);
  EXPECT_EQ(told(report), "");
  EXPECT_THAT(report.notes,
              ElementsAre("not in the baseline as regions, so that their waits are judged by place alone: train"));
}

TEST(Baseline, WhatRanBeforeMayBeCalledOtherwise) {
  const auto after = [](const std::string& kernel, std::int64_t waits) {
    RunSummary run = run_of(always(std::vector<WaitingLine>(static_cast<std::size_t>(waits), kLoss)));
    Site& site = run.sites.at(0);
    site.from = SiteFrom::position;
    site.file = site.function = site.source = "";
    site.place = "after " + kernel;
    site.id = "id of " + kernel;
    return run;
  };
  const Baseline baseline = baseline_of(after("gemm_80", 1));
  const CheckReport renamed = judged_against(baseline, after("gemm_90", 1));
  EXPECT_EQ(told(renamed), "");
  EXPECT_EQ(renamed.notes.size(), 1u);
  EXPECT_THAT(told(judged_against(baseline, after("gemm_90", 2))), HasSubstr("baseline: 2 waits per step, 1 in"));
}

}  // namespace
}  // namespace zerostall
