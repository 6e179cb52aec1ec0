#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/stat_json.h"
#include "reports/stat_text.h"
#include "tests/gate/verify_runs.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::ordered_json;

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> list;
  for (const auto& [key, value] : object.items()) list.push_back(key);
  return list;
}

TEST(StatJson, HasTheKeysOfTheSchemaInOrder) {
  const Json json = Json::parse(render_stat_json(make_run({}, StepShape{}).summary));
  EXPECT_EQ(keys(json), (std::vector<std::string>{"schema", "source", "device", "complete", "lost", "steps_from",
                                                  "warmup", "steps", "background", "outside", "totals", "per_step",
                                                  "regions", "calls", "copies", "sites", "oddities"}));
  EXPECT_EQ(json["schema"], "zerostall/stat/1");
  EXPECT_EQ(json["source"]["clock"], "modelled");
  EXPECT_EQ(json["device"]["name"], "simulated H200");
  EXPECT_EQ(json["steps_from"], "marks");
  EXPECT_EQ(json["steps"].size(), 6u);
  EXPECT_EQ(json["steps"][2]["index"], 2);
  EXPECT_EQ(json["steps"][2]["waits"], 13);
  EXPECT_EQ(json["steps"][2]["blocked_ns"], json["per_step"]["blocked_ns"]["min"]);
  EXPECT_EQ(json["regions"]["train"]["per_step"]["waits"]["median"], 3);
  EXPECT_EQ(json["calls"]["cudaStreamSynchronize"]["count"], 6 * 13);
  EXPECT_EQ(json["copies"][0]["per_step"]["max"], 10);
  EXPECT_EQ(json["sites"], Json::array());
}

TEST(StatJson, WritesUnknownAsNull) {
  const auto cut = make_run(
      {}, [](int) { return StepShape{}; }, 6, [](TraceBuilder& t) { t.closed = false; });
  const Json json = Json::parse(render_stat_json(cut.summary));
  EXPECT_EQ(json["complete"], false);
  EXPECT_TRUE(json["steps"][3]["drains"].is_null());
  EXPECT_TRUE(json["per_step"]["drains"].is_null());
  EXPECT_EQ(json["oddities"]["truncated"], true);
  const Json empty = Json::parse(render_stat_json({}));
  EXPECT_TRUE(empty["device"].is_null());
  EXPECT_TRUE(empty["per_step"]["waits"].is_null());
  EXPECT_EQ(empty["steps_from"], "none");
}

TEST(StatJson, RepairsTextThatIsNotUtf8) {
  RunSummary run;
  run.path = "\xff\xfe";
  EXPECT_NO_THROW(Json::parse(render_stat_json(run)));
}

TEST(StatText, FoldsEqualStepsAndShowsRegionsCallsAndCopies) {
  const std::string text = render_stat_text(make_run({}, StepShape{}).summary);
  EXPECT_THAT(text, HasSubstr("t · simulated H200 · times modelled · 6 steps (from marks), first 2 not judged"));
  EXPECT_THAT(text, HasSubstr("\n0-1 warm-up"));
  EXPECT_THAT(text, HasSubstr("\n2-5 "));
  EXPECT_THAT(text, HasSubstr("\ntrain "));
  EXPECT_THAT(text, HasSubstr("cudaStreamSynchronize"));
  EXPECT_THAT(text, HasSubstr("cudaMemcpyAsync host to device"));
  EXPECT_THAT(text, Not(HasSubstr("oddity")));
  EXPECT_THAT(text, Not(HasSubstr("background")));
}

TEST(StatText, RendersATraceWithoutStepsOrCalls) { EXPECT_THAT(render_stat_text({}), HasSubstr("no steps marked")); }

}  // namespace
}  // namespace zerostall
