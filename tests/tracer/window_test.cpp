// Recording in windows: what is in them is complete, what is outside leaves nothing, and nothing outside counts as
// zero.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "profiler/analyze/summary.h"
#include "profiler/base/files.h"
#include "profiler/record/record.h"
#include "profiler/trace/read_native.h"

namespace zerostall {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

RunSummary record(const std::string& mode, const std::string& window, std::int64_t max_bytes = 0) {
  const TempFolder folder = std::move(*TempFolder::make());
  RecordOptions options;
  options.argv = {SUBJECT, mode};
  options.simulate = true;
  options.window = window;
  options.max_bytes = max_bytes;
  options.trace_file = folder.path() / "run.zstall";
  SignalInbox inbox;
  const auto outcome = record_run(options, paths_beside(BIN_DIR), inbox);
  if (!outcome || outcome->child.exit_code != 0) throw std::runtime_error("the subject failed");
  return analyze(std::move(*read_native(options.trace_file)), {"t", 0, false, true});
}

std::vector<std::int64_t> numbers(const RunSummary& run) {
  std::vector<std::int64_t> list;
  for (const StepRow& step : run.steps) list.push_back(step.number);
  return list;
}

std::int64_t syncs_of(const StepRow& step) { return *step.counters[Counter::stream_syncs]; }

std::int64_t all_syncs(const RunSummary& run) { return *run.totals[Counter::stream_syncs]; }

TEST(RecordWindow, OfStepsHoldsThemWhole) {
  const RunSummary run = record("ranges", "steps:2:5");
  EXPECT_THAT(numbers(run), ElementsAre(2, 3, 4));
  for (const StepRow& step : run.steps) EXPECT_EQ(syncs_of(step), step.number + 1);
  EXPECT_EQ(all_syncs(run), 3 + 4 + 5);
  EXPECT_EQ(run.windows->size(), 1u);
  EXPECT_EQ(run.regions.at(0).name, "train");
  EXPECT_TRUE(run.complete());
}

TEST(RecordWindow, OfStepsByInstantMarksHoldsThemWhole) {
  const RunSummary run = record("instants", "steps:2:5");
  EXPECT_THAT(numbers(run), ElementsAre(2, 3, 4));
  for (const StepRow& step : run.steps) EXPECT_EQ(syncs_of(step), step.number + 1);
  EXPECT_EQ(all_syncs(run), 3 + 4 + 5);
}

TEST(RecordWindow, OfStepsIsNotSwitchedByWhatLooksLikeAStepInsideOne) {
  const RunSummary run = record("nested", "steps:2:5");
  EXPECT_THAT(numbers(run), ElementsAre(2, 3, 4));
  for (const StepRow& step : run.steps) EXPECT_EQ(syncs_of(step), step.number + 1);
  EXPECT_EQ(run.windows->size(), 1u);
}

TEST(RecordWindow, OfStepsComesAfterAStepThatWasNeverPopped) {
  const RunSummary run = record("unpopped", "steps:2:5");
  EXPECT_THAT(numbers(run), ElementsAre(2, 3, 4));
  for (const StepRow& step : run.steps) EXPECT_EQ(syncs_of(step), step.number + 1);
}

// The first step begins before the first CUDA call.
TEST(RecordWindow, OfTheFirstStepsBeginsWithThem) {
  for (const char* mode : {"ranges", "instants"}) {
    const RunSummary run = record(mode, "steps:0:2");
    EXPECT_THAT(numbers(run), ElementsAre(0, 1)) << mode;
    EXPECT_EQ(all_syncs(run), 1 + 2) << mode;
  }
}

TEST(RecordWindow, OfTheLastStepsReachesToTheEnd) {
  const RunSummary run = record("ranges", "steps:6:1000");
  EXPECT_THAT(numbers(run), ElementsAre(6, 7));
  EXPECT_EQ(all_syncs(run), 7 + 8);
}

TEST(RecordWindow, OfStepsThatNeverComeSaysSo) {
  const RunSummary late = record("ranges", "steps:100:200");
  EXPECT_FALSE(late.has_cuda_calls);
  ASSERT_EQ(late.warnings.size(), 1u);
  EXPECT_THAT(late.warnings[0], HasSubstr("none of the 8 marked steps was one of 100 to 199"));
  const RunSummary unmarked = record("unmarked", "steps:0:5");
  ASSERT_EQ(unmarked.warnings.size(), 1u);
  EXPECT_THAT(unmarked.warnings[0], HasSubstr("no step was marked"));
}

TEST(RecordWindow, BetweenProfilerCalls) {
  const RunSummary run = record("profiler", "profiler");
  EXPECT_EQ(all_syncs(run), 10);
  EXPECT_EQ(run.windows->size(), 2u);
}

TEST(RecordWindow, FromOneSignalToTheNext) {
  const RunSummary run = record("signals", "signal:" + std::to_string(SIGUSR2));
  EXPECT_EQ(all_syncs(run), 5);
}

TEST(RecordWindow, OfTime) {
  const RunSummary run = record("seconds", "seconds:1:2");
  EXPECT_EQ(all_syncs(run), 5);
}

// What is made ahead of need may not fit any more: that ends nothing.
TEST(RecordSize, ThatIsEnoughEndsNothing) {
  const RunSummary run = record("many", "", 600'000);
  EXPECT_FALSE(run.truncated) << describe(run.end);
  EXPECT_EQ(all_syncs(run), 30'000);
}

// What was recorded until then is exact, and the rest is not taken for nothing.
TEST(RecordSize, EndsAtTheLargestThatWasAskedFor) {
  const RunSummary run = record("many", "", 200'000);
  EXPECT_TRUE(run.truncated);
  EXPECT_FALSE(run.complete());
  EXPECT_THAT(describe(run.end), HasSubstr("the largest size that was asked for was reached"));
  EXPECT_GT(all_syncs(run), 5'000);
  EXPECT_LT(all_syncs(run), 30'000);
}

TEST(RecordWindow, NoneRecordsAll) {
  const RunSummary run = record("ranges", "");
  EXPECT_EQ(run.steps.size(), 8u);
  EXPECT_FALSE(run.windows);
}

TEST(OwnCost, IsMeasuredAlongTheWay) {
  const RunSummary run = record("many", "");
  const OwnCost& syncs = run.meta.own_cost.at("stream_sync");
  EXPECT_GE(syncs.samples, 30'000 / 100);
  EXPECT_GT(syncs.ns / syncs.samples, 10);
}

}  // namespace
}  // namespace zerostall
