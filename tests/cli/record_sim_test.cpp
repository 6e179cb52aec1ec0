// `record` and `doctor` with the real tracer and the real simulated GPU, on a small CUDA program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "profiler/base/files.h"
#include "profiler/gate/verify.h"
#include "profiler/trace/read_native.h"
#include "tests/cli/program.h"
#include "tests/reports/perfetto_view.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using ::testing::HasSubstr;
using Json = nlohmann::json;

class RecordSimulated : public ::testing::Test {
 protected:
  ChildResult shell(const std::string& text) {
    return run_program("/bin/sh", {"-c", "cd \"$here\"; " + text},
                       {{"here", folder.path().string()}, {"zerostall", ZEROSTALL_PROGRAM}, {"subject", SUBJECT}});
  }
  Json stat(const std::string& arguments) {
    return Json::parse(shell("exec \"$zerostall\" stat --json " + arguments).out);
  }
  TempFolder folder = std::move(*TempFolder::make());
};

TEST_F(RecordSimulated, CountsAProgramsWaits) {
  const ChildResult result = shell("exec \"$zerostall\" record --device sim -- \"$subject\" steps");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("run.zstall · simulated H200 · 5 steps, first 2 not judged · 2 waits per step"));
  const Json json = stat("");
  EXPECT_EQ(json["per_step"]["waits"]["max"], 2);
  EXPECT_EQ(json["times_repeatable"], true);
  EXPECT_FALSE(json.contains("processes"));
}

TEST_F(RecordSimulated, IsExportedInEveryFormat) {
  ASSERT_EQ(shell("exec \"$zerostall\" record --device sim -- \"$subject\" steps").exit_code, 0);
  const std::string run = "exec \"$zerostall\" export ";
  const Json json = Json::parse(shell(run + "--format json").out)["processes"][0];
  EXPECT_EQ(json["clock"], "modelled");
  EXPECT_EQ(json["steps"].size(), 5u);
  EXPECT_EQ(json["steps"][3]["waits"], 2);
  EXPECT_EQ(json["steps"][3]["regions"][0]["name"], "train");
  EXPECT_FALSE(json["waits"][0]["stack"].is_null());
  EXPECT_EQ(json["program"], "tracer_subject");

  const PerfettoView view(shell(run + "--format perfetto").out);
  EXPECT_EQ(view.names("waits").size(), json["totals"]["waits"]);
  EXPECT_THAT(view.names("steps"), ::testing::Contains("step 4"));
  EXPECT_THAT(view.track("waits").slices[0].args.at("native"), HasSubstr("tracer_subject +0x"));
  EXPECT_THAT(view.tracks.begin()->second.process, HasSubstr("times modelled (simulated H200)"));

  const ChildResult chrome =
      shell("\"$zerostall\" export --format chrome -o steps.json && exec \"$zerostall\" stat --json steps.json");
  EXPECT_EQ(Json::parse(chrome.out)["per_step"]["waits"]["max"], 2);
  const std::string rows = shell(run + "--format csv --table copies").out;
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 1 + 10);
}

TEST_F(RecordSimulated, NamesRanksOfOneCommand) {
  const ChildResult result = shell(
      "exec \"$zerostall\" record --device sim -o all.zstall -- "
      "sh -c 'RANK=0 WORLD_SIZE=2 \"$subject\" steps; RANK=1 WORLD_SIZE=2 \"$subject\" threads; \"$subject\" forked'");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = stat("all.zstall --rank 1");
  ASSERT_EQ(json["processes"].size(), 3u);
  EXPECT_EQ(json["processes"][0]["file"], "rank0.zstall");
  EXPECT_EQ(json["processes"][1]["rank"], 1);
  EXPECT_EQ(json["processes"][1]["program"], "tracer_subject");
  EXPECT_EQ(json["processes"][1]["arguments"], 1);
  EXPECT_TRUE(json["processes"][2]["rank"].is_null());
  EXPECT_EQ(json["totals"]["waits"], 4000);
}

TEST_F(RecordSimulated, ComparesTheRanksOfAJob) {
  const ChildResult result = shell(
      "exec \"$zerostall\" record --device sim -o all.zstall -- "
      "sh -c 'RANK=0 WORLD_SIZE=2 \"$subject\" steps; RANK=1 WORLD_SIZE=2 \"$subject\" fixed'");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json ranks = stat("all.zstall")["ranks"];
  EXPECT_EQ(ranks["compared"], 2);
  EXPECT_EQ(ranks["modelled"], true);
  EXPECT_EQ(ranks["waits"]["min"], 0);
  EXPECT_EQ(ranks["waits"]["max"], 2);
  ASSERT_GE(ranks["sites_of_some"].size(), 1u);
  for (const Json& site : ranks["sites_of_some"]) EXPECT_EQ(site["processes"], Json({"rank0.zstall"}));
  EXPECT_EQ(ranks["gpu"]["compared"], false) << "three steps are judged";
  EXPECT_EQ(ranks["notes"].size(), 0u);
  const std::string text = shell("exec \"$zerostall\" stat all.zstall/rank1.zstall all.zstall/rank0.zstall").out;
  EXPECT_THAT(text, HasSubstr("all.zstall/rank1.zstall and 1 more · 2 processes · tracer_subject"));
  EXPECT_THAT(text, HasSubstr("\nonly rank0.zstall: "));
  EXPECT_THAT(text, HasSubstr("\nBelow: rank0.zstall\n"));
}

TEST_F(RecordSimulated, AProgramWhoseRpathLeadsToARealToolkitGetsTheSimulatedOne) {
  const ChildResult result = shell("exec \"$zerostall\" record --device sim -- " RPATH_SUBJECT " steps");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("5 steps, first 2 not judged · 2 waits per step"));
}

TEST_F(RecordSimulated, TellsAProgramWithItsOwnProfilerOfNoTracer) {
  const std::string record = "exec \"$zerostall\" record --device sim ";
  const auto hint = HasSubstr("record with --no-tracer to use it\n");
  const ChildResult traced = shell(record + "-- \"$subject\" profiles-itself");
  EXPECT_EQ(traced.exit_code, 39);  // CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
  EXPECT_THAT(traced.err, hint);
  const ChildResult alone = shell(record + "--no-tracer -- \"$subject\" profiles-itself");
  EXPECT_EQ(alone.exit_code, 0);
  EXPECT_THAT(alone.err, ::testing::Not(hint));
}

TEST_F(RecordSimulated, SuggestsMoreGpusToAProgramThatAsksForThem) {
  const std::string record = "exec \"$zerostall\" record --device sim ";
  const ChildResult one = shell(record + "-- \"$subject\" second-device");
  EXPECT_EQ(one.exit_code, 5);
  EXPECT_THAT(one.err, HasSubstr("it asked for device 1, there is 1: record it with --gpus 2\n"));
  EXPECT_EQ(shell(record + "--gpus 2 -- \"$subject\" second-device").exit_code, 0);
}

TEST_F(RecordSimulated, NamesTheUnsupportedCallOfAProgramThatFails) {
  const ChildResult result =
      shell("exec \"$zerostall\" record --device sim -- sh -c '\"$subject\" unsupported; exit 6'");
  EXPECT_EQ(result.exit_code, 6);
  EXPECT_THAT(result.err, HasSubstr("the command ended with exit code 6\n"));
  EXPECT_THAT(result.err, HasSubstr("does not support: cudaDestroyExternalSemaphore (1 call of 1 function in all)\n"));
}

TEST_F(RecordSimulated, SuppliesValuesByRangeWithAndWithoutATracer) {
  ASSERT_TRUE(
      write_file(folder.path() / "values.json", R"({"reads": [{"range": "answer", "value": 42, "type": "int32"}]})"));
  for (const char* option : {"", "--no-tracer "}) {
    const ChildResult result = shell(std::string("exec \"$zerostall\" record --device sim ") + option +
                                     "--sim-values values.json -- \"$subject\" reads");
    EXPECT_EQ(result.exit_code, 42) << option << result.err;
  }
}

TEST_F(RecordSimulated, LeavesTheSimulatorsLogWhereTheUserWantsIt) {
  for (const char* option : {"", "--no-tracer "}) {
    shell(std::string("rm -f log.json; ZEROSTALL_SIM_LOG=log.json \"$zerostall\" record --device sim ") + option +
          "-- \"$subject\" reads");
    const Json log = Json::parse(shell("cat log.json").out, nullptr, false);
    ASSERT_TRUE(log.is_object()) << option;
    EXPECT_EQ(log["unreal_sites"][0]["range"], "answer") << option;
  }
}

// The whole chain: a function that really is not supported, the library, the tracer, the trace, the analysis, the
// report.
TEST_F(RecordSimulated, UnsupportedCallsOfStepsAreNamedOnceAndListed) {
  const ChildResult result = shell("exec \"$zerostall\" record --device sim -- \"$subject\" fixed-unsupported");
  EXPECT_EQ(result.exit_code, 0);
  const std::string named = "cudaDestroyExternalSemaphore is not supported";
  const auto first = result.err.find(named);
  ASSERT_NE(first, std::string::npos) << result.err;
  EXPECT_EQ(result.err.find(named, first + 1), std::string::npos) << "once, however often it is called";
  EXPECT_EQ(stat("")["oddities"]["unsupported_calls"], Json({{"cudaDestroyExternalSemaphore", 7}}));
  EXPECT_THAT(shell("exec \"$zerostall\" stat").out,
              HasSubstr("not supported by the simulated GPU: cudaDestroyExternalSemaphore (7 times)"));
}

// And the verdict on such a run.
TEST_F(RecordSimulated, AnUnsupportedCallInAJudgedStepTurnsAPassIntoCannotTell) {
  const auto recorded = [&](const std::string& mode) {
    shell("rm -f " + mode + ".zstall; exec \"$zerostall\" record --quiet --device sim -o " + mode +
          ".zstall -- \"$subject\" " + mode);
    auto trace = read_native(folder.path() / (mode + ".zstall"));
    EXPECT_TRUE(bool(trace)) << mode;
    return analyze(std::move(*trace), {mode, 2});
  };
  const auto judged_with = [&](const VerifyPlan& plan, const std::string& mode) {
    return judge_verify(plan, {VerifyRun{{}, recorded("steps")}, VerifyRun{{"fix"}, recorded(mode)}});
  };
  VerifyPlan plan;
  plan.steps = 5;
  plan.warmup = 2;
  plan.claims = {{"fix", {2, 2, 0, 2}, true}};
  EXPECT_EQ(judged_with(plan, "fixed").verdict, Verdict::pass);
  const Judgement judgement = judged_with(plan, "fixed-unsupported");
  EXPECT_EQ(judgement.verdict, Verdict::cannot_tell);
  ASSERT_FALSE(judgement.reasons.empty());
  EXPECT_THAT(judgement.reasons[0].text,
              HasSubstr("step 3 called cudaDestroyExternalSemaphore, which the simulated GPU does not support"));
}

TEST_F(RecordSimulated, DoctorFindsThatAllWorks) {
  const ChildResult result = shell("exec \"$zerostall\" doctor --device sim --json");
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["schema"], "zerostall/doctor/2");
  EXPECT_EQ(json["works"], true);
  std::map<std::string, std::string> status;
  for (const Json& check : json["checks"]) status[check["name"]] = check["status"];
  EXPECT_EQ(status.at("tracer"), "ok");
  EXPECT_EQ(status.at("simulated device"), "ok");
}

}  // namespace
}  // namespace zerostall
