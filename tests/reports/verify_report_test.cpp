#include "reports/verify_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "tests/gate/verify_runs.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::ordered_json;

VerifyReport report_of(std::vector<VerifyRun> runs) {
  VerifyReport report{make_plan(), std::move(runs), {}};
  report.judgement = judge_verify(report.plan, report.runs);
  return report;
}

TEST(VerifyText, LooksAsPromised) {
  EXPECT_EQ(
      render_verify_text(report_of(good_runs())),
      "FLUX.2 klein-9B, W8A8 LoRA r16, batch 2, 512 px · 6 steps, first 2 not judged · simulated H200\n"
      "region train              waits/step   GPU ran dry (modelled)   stream syncs   event syncs   H2D stalls   "
      "blocked (modelled)\n"
      "no fix                             3                        3              3             0            2        "
      "     0.040 ms\n"
      "bn-pinning                         1                        1              1             0            0        "
      "     0.020 ms\n"
      "async-loss                         2                        2              2             0            2        "
      "     0.020 ms\n"
      "bn-pinning + async-loss            0                        0              0             0            0        "
      "         0 ms\n"
      "note  8 of 12 waits in `train` (no fix, judged steps) found nothing queued before (modelled), and waited at "
      "most "
      "for a copy of their own\n"
      "whole step, loader included: 13 → 10 stream syncs\n"
      "stays  10 waits in `load`: the loader uploads\n"
      "PASS  0 host waits inside `train` in each of 4 judged steps, both fixes on; 10 stream syncs per step remain "
      "outside it (simulated H200: counted, no time measured)\n");
}

TEST(VerifyText, ClosesAFailureWithItsReasons) {
  auto runs = good_runs();
  runs[1] = make_run({"bn-pinning"}, [](int n) { return StepShape{.bn = n == 4 ? 2 : 0}; });
  const std::string text = render_verify_text(report_of(runs));
  EXPECT_THAT(text, HasSubstr("\nbn-pinning                      1..3"));
  EXPECT_THAT(text,
              EndsWith("\nFAIL  bn-pinning removed 0 of 2 waits in step 4: 2 × cudaMemcpyAsync 512 B host to device + "
                       "cudaStreamSynchronize\n"));
}

TEST(VerifyText, SaysWhenItCannotTellAndWhatWasNotReal) {
  auto runs = good_runs();
  runs[0].summary.truncated = true;
  runs[0].summary.unreal_readbacks = {1, 1, {{"4 B", 1}}};
  const std::string text = render_verify_text(report_of(runs));
  EXPECT_THAT(text, HasSubstr("\nCANNOT TELL  no fix: the trace is cut off"));
  EXPECT_THAT(text, HasSubstr("\nnote  1 read-back in judged steps had no real value"));
  EXPECT_THAT(render_verify_text(report_of({})), EndsWith("CANNOT TELL  nothing was run\n"));
}

TEST(VerifyText, LabelsEachReasonWithItsOwnVerdictAndMakesNamesPrintable) {
  VerifyReport report{make_plan(), good_runs(), {}};
  report.judgement = {Verdict::violation,
                      {{Verdict::violation, "more than claimed in `\x1b[31m`"}, {Verdict::cannot_tell, "cut\noff"}},
                      {"a\tnote"}};
  EXPECT_THAT(render_verify_text(report), EndsWith("\nFAIL  more than claimed in `\\x1b[31m`\nCANNOT TELL  cut\\noff\n"
                                                   "note  a\\tnote\n"));
}

TEST(VerifyText, SaysWhatStaysBecauseItsFixWasNotAskedFor) {
  const std::string text =
      render_verify_text(report_of({make_run({}, StepShape{}), make_run({"bn-pinning"}, StepShape{.bn = 0})}));
  EXPECT_THAT(text, HasSubstr("\nstays  1 wait in `train`: async-loss is not asked for\nstays  10 waits in `load`"));
  EXPECT_THAT(render_verify_text(report_of(
                  {make_run({}, StepShape{}), make_run({"async-loss=upstream", "bn-pinning"}, StepShape{.bn = 0})})),
              Not(HasSubstr("not asked for")));
}

TEST(VerifyJson, TakesTheClockFromTheDeviceOrTheTraces) {
  VerifyReport report = report_of({VerifyRun{}});
  EXPECT_EQ(Json::parse(render_verify_json(report))["clock"], "modelled");  // simulated, though nothing was traced
  report.plan.device = "gpu";
  EXPECT_TRUE(Json::parse(render_verify_json(report))["clock"].is_null());
  report.runs.front().summary.meta.format = "zstall";
  EXPECT_EQ(Json::parse(render_verify_json(report))["clock"], "measured");
}

TEST(VerifyJson, HasTheKeysOfTheSchemaAndNothingOfTheMachine) {
  const std::string text = render_verify_json(report_of(good_runs()));
  EXPECT_EQ(text, render_verify_json(report_of(good_runs())));
  const Json json = Json::parse(text);
  EXPECT_EQ(json["schema"], "zerostall/verify/1");
  EXPECT_EQ(json["scenario"], "flux2");
  EXPECT_EQ(json["size"], "klein-9b");
  EXPECT_EQ(json["device"], "sim:h200");
  EXPECT_EQ(json["accum"], 1);
  EXPECT_EQ(json["verdict"], "pass");
  EXPECT_EQ(json["reasons"], Json::array());
  EXPECT_EQ(json["reason_verdicts"], Json::array());
  EXPECT_EQ(json["rest"][0]["reason"], "the loader uploads");
  ASSERT_EQ(json["runs"].size(), 4u);
  EXPECT_EQ(json["runs"][0]["fixes"], Json::array());
  EXPECT_EQ(json["runs"][3]["fixes"], Json({"bn-pinning", "async-loss"}));
  EXPECT_EQ(json["runs"][1]["steps"]["judged"], 4);
  EXPECT_EQ(json["runs"][1]["regions"]["train"]["per_step"]["stream_syncs"]["max"], 1);
  EXPECT_EQ(json["runs"][1]["regions"]["step"]["per_step"]["stream_syncs"]["min"], 11);
  EXPECT_EQ(json["runs"][0]["copies"][1]["bytes"], 512);
}

TEST(VerifyJunit, HasACasePerSettingAndTheReasonsWhereTheyBelong) {
  auto runs = good_runs();
  runs[1] = make_run({"bn-pinning"}, [](int n) { return StepShape{.bn = n == 4 ? 2 : 0}; });
  VerifyReport report = report_of(std::move(runs));
  report.judgement.reasons.push_back({Verdict::cannot_tell, "bn-pinning + async-loss: the trace is cut off"});
  report.judgement.reasons.push_back({Verdict::cannot_tell, "nothing was run <twice>"});
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(render_verify_junit(report).c_str()));
  const pugi::xml_node suite = document.child("testsuites").child("testsuite");
  const auto found = [&](const char* name, const char* kind) {
    return std::string(
        suite.find_child_by_attribute("testcase", "name", name).child(kind).attribute("message").value());
  };
  EXPECT_EQ(suite.attribute("tests").as_int(), 5);
  EXPECT_EQ(suite.attribute("failures").as_int(), 1);
  EXPECT_EQ(suite.attribute("errors").as_int(), 2);
  EXPECT_THAT(found("bn-pinning", "failure"), HasSubstr("bn-pinning removed 0 of 2 waits in step 4"));
  EXPECT_EQ(found("bn-pinning + async-loss", "error"), "bn-pinning + async-loss: the trace is cut off");
  EXPECT_EQ(found("all settings together", "error"), "nothing was run <twice>");
}

TEST(VerifyMarkdown, SaysTheVerdictFirstAndFoldsTheFigures) {
  const std::string pass = render_verify_markdown(report_of(good_runs()));
  EXPECT_THAT(pass, ::testing::StartsWith("**zerostall verify flux2: pass: each fix removes exactly the waits it "
                                          "claims** (klein-9b, simulated H200)\n\n<details>"));
  EXPECT_THAT(pass, EndsWith("\n</details>\n\n<!-- zerostall:verify -->\n"));
  VerifyReport report = report_of(good_runs());
  report.judgement = {Verdict::violation, {{Verdict::violation, "``` <img src=x> @all"}}, {}};
  EXPECT_THAT(render_verify_markdown(report), HasSubstr("\n- \\`\\`\\` \\<img src=x\\> @<!-- -->all\n"));
  EXPECT_THAT(render_verify_markdown(report), HasSubstr("\n````text\n"));
}

}  // namespace
}  // namespace zerostall
