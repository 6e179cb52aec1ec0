#include "profiler/gate/baseline_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/gate/baseline_runs.h"

namespace zerostall {
namespace {

using testing::baseline_of;
using ::testing::HasSubstr;
using testing::run_of;
using testing::WaitingLine;

RunSummary run_with(std::optional<std::int64_t> rank, std::int64_t uploads) {
  return run_of(
      [=](std::int64_t step) {
        std::vector<WaitingLine> lines(static_cast<std::size_t>(uploads), {.file = "data.py", .region = "load"});
        if (step % 5 == 0) lines.push_back({.function = "log\"<b>", .line = 40});
        return lines;
      },
      {.rank = rank});
}

const char* const kText = R"json({
  "schema": "zerostall/baseline/1",
  "device": "simulated H200",
  "steps_from": "marks",
  "warmup": 2,
  "versions": {"program": "python3.11", "tool": "zerostall 0.1.0"},
  "processes": [
    {
      "rank": null,
      "judged": 18,
      "kernels": 100,
      "counts": {"waits": {"min": 2, "max": 3, "sum": 39}, "stream_syncs": {"min": 2, "max": 3, "sum": 39}, "event_syncs": 0, "device_syncs": 0, "blocking_copies": 0, "blocking_memsets": 0, "h2d_stalls": 0, "failed": 0},
      "regions": {
        "load": {"waits": 2, "stream_syncs": 2, "event_syncs": 0, "device_syncs": 0, "blocking_copies": 0, "blocking_memsets": 0, "h2d_stalls": 0, "failed": 0},
        "train": {"waits": {"min": 0, "max": 1, "sum": 3}, "stream_syncs": {"min": 0, "max": 1, "sum": 3}, "event_syncs": 0, "device_syncs": 0, "blocking_copies": 0, "blocking_memsets": 0, "h2d_stalls": 0, "failed": 0}
      },
      "sites": [
        {"place": "data.py in step", "cause": "scalar-read", "waits": 2, "what": "cudaMemcpyAsync 4 B device to host + cudaStreamSynchronize", "id": "data.py|step|0|loss.item()"},
        {"place": "train.py in log\"<b>", "cause": "scalar-read", "waits": {"min": 0, "max": 1, "sum": 3}, "what": "cudaMemcpyAsync 4 B device to host + cudaStreamSynchronize", "id": "train.py|log\"<b>|0|loss.item()"}
      ]
    }
  ]
}
)json";

TEST(BaselineFile, IsWrittenOnePlaceALine) { EXPECT_EQ(render_baseline(baseline_of(run_with({}, 2))), kText); }

TEST(BaselineFile, ReadsWhatItWrote) {
  Baseline baseline = baseline_of(run_with(3, 2));
  baseline.world_size = 8;
  const auto read = parse_baseline(render_baseline(baseline), "b.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->file, "b.json");
  baseline.file = "b.json";
  EXPECT_EQ(*read, baseline);
}

TEST(BaselineFile, AnyOrderOfProcessesAndPlacesGivesTheSameBytes) {
  std::vector<RunSummary> runs;
  for (std::int64_t rank = 0; rank < 3; ++rank) runs.push_back(run_with(rank, rank + 1));
  runs.push_back(run_with({}, 2));
  runs.push_back(run_with({}, 1));
  std::vector<std::size_t> order = {0, 1, 2, 3, 4};
  std::string first;
  do {
    std::vector<CheckedRun> checked;
    for (const std::size_t i : order) checked.push_back({"p", &runs[i]});
    const std::string text = render_baseline(make_baseline(checked, 3, StepsWanted::marked));
    if (first.empty()) first = text;
    ASSERT_EQ(text, first);
  } while (std::next_permutation(order.begin(), order.end()));

  RunSummary turned = runs[0];
  std::reverse(turned.sites.begin(), turned.sites.end());
  for (StepRow& step : turned.steps)
    for (WaitSeen& wait : step.waits) wait.site = static_cast<std::uint32_t>(turned.sites.size()) - 1 - wait.site;
  EXPECT_EQ(render_baseline(baseline_of(turned)), render_baseline(baseline_of(runs[0])));
}

TEST(BaselineFile, HoldsNoNumbersOfLinesAndNoFoldersOfThisMachine) {
  RunSummary run = run_with({}, 2);
  run.sites[0].file = "/home/somebody/work/data.py";
  run.sites[1].from = SiteFrom::native;
  run.sites[1].file = "build/release/libstep.so";
  run.sites[1].place = "libstep.so +0x1234";
  const std::string text = render_baseline(baseline_of(run));
  EXPECT_EQ(text.find("/home"), std::string::npos);
  EXPECT_EQ(text.find("0x1234"), std::string::npos);
  EXPECT_EQ(text.find("release"), std::string::npos);
  EXPECT_THAT(text, HasSubstr("\"place\": \"libstep.so\""));
}

TEST(BaselineFile, KeysThatAreNotKnownAreIgnored) {
  std::string text = kText;
  text.insert(text.find("\"warmup\""), "\"added_later\": [{\"x\": 1}], ");
  text.insert(text.find("\"rank\""), "\"nodes\": 4, ");
  const auto read = parse_baseline(text, "b.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(render_baseline(*read), kText);
}

struct Broken {
  const char* name;
  const char* replace;
  const char* by;
  const char* says;
};

class BaselineFileError : public ::testing::TestWithParam<Broken> {};

TEST_P(BaselineFileError, IsOneLineThatNamesFileAndPlace) {
  std::string text = kText;
  const std::string replace = GetParam().replace;
  ASSERT_NE(text.find(replace), std::string::npos);
  text.replace(text.find(replace), replace.size(), GetParam().by);
  const auto read = parse_baseline(text, "ci/b.json");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("ci/b.json: "));
  EXPECT_THAT(read.error().message, HasSubstr(GetParam().says));
  EXPECT_EQ(read.error().message.find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    All, BaselineFileError,
    ::testing::Values(
        Broken{"conflict", "  \"warmup\": 2,\n", "<<<<<<< HEAD\n  \"warmup\": 2,\n", "no JSON from line 5 on"},
        Broken{"cut", kText, "{\"schema\": \"zerostall/baseline/1\",", "no JSON from line 1 on"},
        Broken{"other", "zerostall/baseline/1", "zerostall/stat/1",
               "no baseline: `schema` is not zerostall/baseline/1"},
        Broken{"newer", "zerostall/baseline/1", "zerostall/baseline/2", "is newer than this zerostall"},
        Broken{"number", "zerostall/baseline/1", "zerostall/baseline/x", "unknown schema `zerostall/baseline/x`"},
        Broken{"list", kText, "[1, 2]", "no baseline"},
        Broken{"text", "\"judged\": 18", "\"judged\": \"18\"", "`processes[0].judged` is no whole number"},
        Broken{"negative", "\"judged\": 18", "\"judged\": -18", "`processes[0].judged` is no whole number"},
        Broken{"huge", "\"judged\": 18", "\"judged\": 1e300", "`processes[0].judged` is no whole number"},
        Broken{"too_long", "\"judged\": 18", "\"judged\": 99999999999999999999999", "`processes[0].judged`"},
        Broken{"sum", "\"sum\": 39", "\"sum\": 99", "`processes[0].counts.waits` makes no sense"},
        Broken{"missing", "\"sites\": [", "\"seats\": [", "`processes[0].sites` is missing"},
        Broken{"count", "\"waits\": 2, \"what\"", "\"waits\": null, \"what\"", "`processes[0].sites[0].waits` is no"},
        Broken{"object", "\"counts\": {", "\"counts\": 4, \"were\": {", "`processes[0].counts` is no object"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(BaselineFile, DeepNestingIsRefused) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_FALSE(parse_baseline(deep, "b.json"));
  EXPECT_FALSE(parse_baseline(R"({"schema": "zerostall/baseline/1", "processes": )" + deep + "}", "b.json"));
}

TEST(BaselineFile, IsToldFromOtherJsonByWhatItBeginsWith) {
  EXPECT_TRUE(looks_like_baseline(kText));
  EXPECT_FALSE(looks_like_baseline(R"({"schemaVersion": 1, "traceEvents": [{"name": "zerostall/baseline/1"}]})"));
}

}  // namespace
}  // namespace zerostall
