// `record` and `doctor` with the real tracer and the real simulated GPU, on a small CUDA program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "profiler/base/files.h"
#include "tests/cli/program.h"

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

TEST_F(RecordSimulated, NamesRanksOfOneCommand) {
  const ChildResult result = shell(
      "exec \"$zerostall\" record --device sim -o all.zstall -- "
      "sh -c 'RANK=0 WORLD_SIZE=2 \"$subject\" steps; RANK=1 WORLD_SIZE=2 \"$subject\" threads; \"$subject\" forked'");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = stat("all.zstall --rank 1");
  ASSERT_EQ(json["processes"].size(), 3u);
  EXPECT_EQ(json["processes"][0]["file"], "rank0.zstall");
  EXPECT_EQ(json["processes"][1]["rank"], 1);
  EXPECT_EQ(json["processes"][1]["argv"], Json({SUBJECT, "threads"}));
  EXPECT_TRUE(json["processes"][2]["rank"].is_null());
  EXPECT_EQ(json["totals"]["waits"], 4000);
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

TEST_F(RecordSimulated, DoctorFindsThatAllWorks) {
  const ChildResult result = shell("exec \"$zerostall\" doctor --device sim --json");
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["schema"], "zerostall/doctor/1");
  EXPECT_EQ(json["works"], true);
  std::map<std::string, std::string> status;
  for (const Json& check : json["checks"]) status[check["name"]] = check["status"];
  EXPECT_EQ(status.at("tracer"), "ok");
  EXPECT_EQ(status.at("simulated device"), "ok");
}

}  // namespace
}  // namespace zerostall
