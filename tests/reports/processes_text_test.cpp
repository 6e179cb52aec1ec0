// The processes of a recording, as `zerostall stat` shows them.
#include "reports/processes_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/stat_json.h"
#include "tests/gate/verify_runs.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using ::testing::HasSubstr;
using ::testing::Not;

std::string render(const std::vector<NamedRun>& runs, std::size_t shown = 0) {
  return render_processes("job", runs, shown, compare_ranks(rank_runs(runs)));
}

std::vector<NamedRun> ranks_of(std::size_t count, std::size_t steps = 12) {
  RunSummary run = make_run({}, StepShape{}).summary;
  while (run.steps.size() < steps) run.steps.push_back(run.steps.back());
  run.meta.program = "python3.11";
  run.meta.script = "train.py";
  std::vector<NamedRun> runs(count, NamedRun{"", run});
  for (std::size_t i = 0; i < count; ++i) runs[i].name = "rank" + std::to_string(i);
  return runs;
}

Site site_at(const std::string& place, std::int64_t per_step) {
  Site site;
  site.id = site.place = site.function = place;
  site.cause.kind = CauseKind::scalar_read;
  site.judged = 10;
  site.per_step = Spread{per_step, per_step, per_step, per_step};
  return site;
}

TEST(ProcessesText, HasALinePerProcess) {
  const std::vector<NamedRun> runs = {{"rank0.zstall", make_run({}, StepShape{}).summary}, {"process-7.zstall", {}}};
  const std::string text = render(runs);
  EXPECT_THAT(text, HasSubstr("job · 2 processes\n\n"));
  EXPECT_THAT(text, HasSubstr("\nrank0.zstall           6           13                  13             78   "));
  EXPECT_THAT(
      text, HasSubstr("\nprocess-7.zstall       0            -                   -              0                 -"));
  EXPECT_THAT(text, HasSubstr("\nBelow: rank0.zstall\n\n"));
  EXPECT_THAT(text, Not(HasSubstr("medians"))) << "of one";
}

TEST(ProcessesText, NamesTheCommandOnceWhereItIsOne) {
  auto runs = ranks_of(2);
  EXPECT_THAT(render(runs), HasSubstr("job · 2 processes · python3.11 train.py\n"));
  runs[1].summary.meta.script = "board.py";
  EXPECT_THAT(render(runs), HasSubstr("python3.11 board.py\n"));
}

TEST(ProcessesText, SaysWhatOnlySomeWaitForAndWhoIsSlow) {
  auto runs = ranks_of(4);
  for (NamedRun& run : runs) run.summary.sites = {site_at("train.py:80 in step", 1)};
  runs[3].summary.sites.push_back(site_at("train.py:91 in log_metrics", 1));
  runs[1].summary.sites.clear();
  for (NamedRun& run : runs)
    for (StepRow& step : run.summary.steps) step.own_gpu_ns = 30'000'000;
  for (StepRow& step : runs[2].summary.steps) step.own_gpu_ns = 45'000'000;
  const std::string text = render(runs, 3);
  EXPECT_THAT(text, HasSubstr("\nonly rank3: train.py:91 in log_metrics, 1 wait per step, scalar-read\n"));
  EXPECT_THAT(text, HasSubstr("\nall but rank1: train.py:80 in step, 1 wait per step, scalar-read\n"));
  EXPECT_THAT(text, HasSubstr("\nstraggler rank2: its GPU works, collectives apart, 45.0 ms of a step (modelled), the "
                              "others 30.0 ms, 50 % more\n"));
  EXPECT_THAT(text, HasSubstr("\nmedians of the 4 processes: waits/step 13 · step "));
  EXPECT_THAT(text, HasSubstr("\nBelow: rank3\n"));
}

TEST(ProcessesText, OfManyRanksIsOneScreen) {
  auto runs = ranks_of(256);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].summary.sites = {site_at("train.py:80 in step", 1)};
    for (int own = 0; own < 12; ++own)  // places that each only some have
      if (i % static_cast<std::size_t>(own + 2) == 0)
        runs[i].summary.sites.push_back(site_at("train.py:" + std::to_string(100 + own) + " in step", 1));
    for (StepRow& step : runs[i].summary.steps) step.own_gpu_ns = i % 10 == 9 ? 50'000'000 : 30'000'000;
  }
  const std::string text = render(runs, 200);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 40);
  EXPECT_THAT(text, HasSubstr("\n... and 250 more: 13 waits/step, step "));
  EXPECT_THAT(text, HasSubstr("\nrank200 ")) << "the one shown below";
  EXPECT_THAT(text, HasSubstr("more places where only some wait: --json has all\n"));
  EXPECT_THAT(text, HasSubstr("more stragglers: --json has all\n"));
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
    EXPECT_LE(end - at, 130u) << text.substr(at, end - at);
}

TEST(ProcessesText, SaysWhatWasComparedWhereNobodyIsSlow) {
  auto runs = ranks_of(2);
  for (NamedRun& run : runs)
    for (StepRow& step : run.summary.steps) step.own_gpu_ns = 30'000'000;
  EXPECT_THAT(render(runs), HasSubstr("no stragglers: GPU work without collectives 30.0 ms of a step"));
  EXPECT_THAT(render(runs), HasSubstr("every one of them waits at the same places\n"));
  EXPECT_THAT(render(ranks_of(2, 6)), HasSubstr("stragglers: cannot tell ("));
}

TEST(RanksJson, HasEachRankAndWhatDiffers) {
  auto runs = ranks_of(3);
  runs[1].summary.sites = {site_at("train.py:91 in log_metrics", 2)};
  for (NamedRun& run : runs)
    for (StepRow& step : run.summary.steps) step.own_gpu_ns = 30'000'000;
  for (StepRow& step : runs[2].summary.steps) step.own_gpu_ns = 45'000'000;
  const auto json =
      nlohmann::ordered_json::parse(render_stat_json(runs[0].summary, runs, {}, false, compare_ranks(rank_runs(runs))));
  const auto& ranks = json["ranks"];
  EXPECT_EQ(ranks["compared"], 3);
  EXPECT_EQ(ranks["modelled"], true);
  EXPECT_EQ(ranks["waits"]["median"], 13);
  EXPECT_EQ(ranks["by_process"][1]["process"], "rank1");
  EXPECT_EQ(ranks["by_process"][2]["own_gpu_ns"], 45'000'000);
  EXPECT_EQ(ranks["sites_of_some"][0]["site"], "train.py:91 in log_metrics");
  EXPECT_EQ(ranks["sites_of_some"][0]["processes"], nlohmann::ordered_json({"rank1"}));
  EXPECT_EQ(ranks["sites_of_some"][0]["waits_per_step"]["max"], 2);
  EXPECT_EQ(ranks["gpu"]["stragglers"][0]["process"], "rank2");
  EXPECT_EQ(ranks["gpu"]["stragglers"][0]["others_ns"], 30'000'000);
}

}  // namespace
}  // namespace zerostall
