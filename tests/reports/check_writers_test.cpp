#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <sstream>

#include "profiler/gate/policy_file.h"
#include "reports/check_words.h"
#include "tests/reports/check_formats.h"
#include "tests/reports/check_reports.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

pugi::xml_node suite_of(pugi::xml_document& document, const CheckReport& report) {
  EXPECT_TRUE(document.load_string(render_check_junit(report).c_str()));
  return document.child("testsuites").child("testsuite");
}

TEST(CheckHeadline, SaysTheVerdictAndWhatWasChecked) {
  EXPECT_EQ(headline(pass_report()), "pass: 3 budgets held in 18 judged steps (simulated H200), 0 waits per step");
  EXPECT_EQ(headline(violation_report()),
            "violation: 1 of 3 budgets exceeded, 1 place worse than the baseline in 18 judged steps (simulated H200), "
            "waits per step 0 → 2");
  EXPECT_EQ(headline(cannot_tell_report()),
            "cannot tell: rank1: 2 steps in the trace to judge after 2 of warm-up, at least 3 are needed");
  EXPECT_EQ(headline({}), "cannot tell: nothing was judged");
}

TEST(CheckHeadline, TellsProcessesDevicesAndWarnings) {
  CheckReport report = pass_report();
  report.checked = {make_facts(0), make_facts(2)};
  report.budgets[0].budget.level = Level::warn;
  report.budgets[0].verdict = Verdict::violation;
  EXPECT_EQ(headline(report),
            "pass: 1 of 3 budgets exceeded (warning) in 18 judged steps of each of 2 processes (simulated H200), "
            "at most 2 waits per step");
  report.checked[1].judged = 5;
  report.checked[1].device = "NVIDIA H200";
  report.checked[1].most_waits.reset();
  EXPECT_THAT(headline(report), EndsWith("in 23 judged steps of 2 processes (simulated H200 and others)"));
}

TEST(CheckHeadline, CountsNeitherWhatIsOffNorWhatIsForOtherDevices) {
  CheckReport report = pass_report();
  report.budgets[0].budget.level = Level::off;
  report.budgets[1].applies = false;
  EXPECT_THAT(headline(report), StartsWith("pass: 1 budget held in"));
}

TEST(CheckText, ShowsTheCommandToTheUserAlone) {
  CheckReport report = violation_report();
  report.command = "zerostall check -- python train.py --token hunter2";
  EXPECT_THAT(render_check_text(report), HasSubstr("hunter2"));
  EXPECT_THAT(render_check_text(report, {.command = false}), Not(HasSubstr("hunter2")));
  for (const CheckFormat& format : check_formats())
    if (format.name != "text") {
      EXPECT_THAT(format.render(report), Not(HasSubstr("hunter2"))) << format.name;
    }
}

TEST(CheckText, GivesTheAdviceOfACauseOnce) {
  const std::string text = render_check_text(violation_report()), fix = "fix: keep it on the GPU";
  const std::size_t first = text.find(fix);
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(text.find(fix, first + 1), std::string::npos);
}

TEST(CheckText, ColoursTheVerdictWhereAskedTo) {
  EXPECT_THAT(render_check_text(pass_report(), {.style = {0, true}}), StartsWith("\x1b[32mpass\x1b[0m: 3 budgets"));
  EXPECT_THAT(render_check_text(pass_report()), Not(HasSubstr("\x1b")));
}

TEST(CheckText, SaysThatThePolicyLetsItPass) {
  CheckReport report = cannot_tell_report();
  EXPECT_THAT(render_check_text(report), Not(HasSubstr("exit code")));
  report.exit_code = 0;
  EXPECT_THAT(render_check_text(report), HasSubstr("the exit code is 0: the policy says so"));
}

TEST(CheckMarkdown, ShowsFewLinesAndFoldsTheRest) {
  for (const CheckReport& report : {pass_report(), violation_report(), cannot_tell_report(), large_report(500)}) {
    int visible = 0, depth = 0;
    for (const std::string& line : lines_of(render_check_markdown(report))) {
      depth += line.starts_with("<details>");
      visible += depth == 0 && !line.empty() && line != kCheckMarker;
      depth -= line == "</details>";
    }
    EXPECT_EQ(depth, 0);
    EXPECT_LE(visible, 15);
    EXPECT_GE(visible, 2);
  }
  EXPECT_THAT(first_line(render_check_markdown(violation_report())), HasSubstr("waits per step 0 → 2"));
}

TEST(CheckMarkdown, StaysBelowWhatGitHubTakes) {
  CheckReport report = large_report(2000);
  for (Finding& finding : report.findings) finding.site->place = std::string(5000, 'x') + finding.site->id;
  const std::string text = render_check_markdown(report);
  EXPECT_LT(text.size(), 65'536u);
  EXPECT_THAT(text, EndsWith("\n<!-- zerostall:check -->\n"));
}

TEST(CheckGitHub, EscapesAsItsToolkitDoes) {
  CheckReport report = violation_report();
  report.findings.resize(1);
  report.findings[0].site->file = "a,b%c.py";
  report.findings[0].text = "50 %, a: b";
  EXPECT_THAT(render_check_github(report),
              StartsWith("::error file=a%2Cb%25c.py,line=31,title=zerostall scalar-read::50 %25, a: b%0A"));
}

TEST(CheckGitHub, SumsUpWhatGitHubWouldDrop) {
  for (const std::size_t findings : {8u, 9u, 10u, 11u, 500u}) {
    CheckReport report = large_report(findings);
    const auto lines = lines_of(render_check_github(report));
    EXPECT_EQ(lines.size(), std::min(findings + 1, kMostAnnotations));
    const bool all = findings + 1 <= kMostAnnotations;
    EXPECT_EQ(all, render_check_github(report).find("more error") == std::string::npos) << findings;
  }
  EXPECT_THAT(render_check_github(large_report(500)), HasSubstr("::492 more errors: "));
}

TEST(CheckGitHub, TellsAPassAndWhatThePolicyLetsPassAsNotices) {
  EXPECT_EQ(lines_of(render_check_github(pass_report())).size(), 1u);
  EXPECT_THAT(render_check_github(pass_report()), StartsWith("::notice title=zerostall::pass: 3 budgets held"));
}

TEST(CheckFingerprints, StayWhereLinesAndCountsChange) {
  const CheckReport one = violation_report();
  CheckReport other = violation_report();
  for (Finding& finding : other.findings) {
    if (finding.site) finding.site->line += 100, finding.site->waits = 7;
    if (finding.site) finding.site->place = "train.py:131 in step";
    finding.policy_line += 5;
  }
  other.findings[0].text = "waits: at most 0 in each step; found 7 in step 9: train.py:131 in step";
  other.findings[2].text = "allow eval.py:*: matches no wait of 99 judged steps: remove it, or mend its pattern";
  const Json a = Json::parse(render_check_gitlab(one)), b = Json::parse(render_check_gitlab(other));
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i]["fingerprint"], b[i]["fingerprint"]) << i;
  other.findings[0].site->id = "ba9876543210";
  EXPECT_NE(a[0]["fingerprint"], Json::parse(render_check_gitlab(other))[0]["fingerprint"]);
  other = violation_report();
  other.findings[0].run = "rank1";
  EXPECT_NE(a[0]["fingerprint"], Json::parse(render_check_gitlab(other))[0]["fingerprint"]);
}

TEST(CheckGitLab, TellsFindingsApartThatShareAFingerprint) {
  CheckReport report = violation_report();
  report.findings = {report.findings[0], report.findings[0]};
  const Json json = Json::parse(render_check_gitlab(report));
  EXPECT_NE(json[0]["fingerprint"], json[1]["fingerprint"]);
}

TEST(CheckGitLab, ShowsWhatHasNoFileAtThePolicy) {
  CheckReport report = violation_report();
  report.findings[0].site->file = "/usr/lib/python3/train.py";
  Json json = Json::parse(render_check_gitlab(report));
  EXPECT_EQ(json[0]["location"]["path"], "zerostall.toml");
  EXPECT_EQ(json[2]["location"]["lines"]["begin"], 21);
  report.policy = "/home/alice/zerostall.toml";
  EXPECT_THAT(render_check_gitlab(report), Not(HasSubstr("alice")));
  EXPECT_EQ(render_check_gitlab(pass_report()), "[]\n");
}

TEST(CheckJunit, AgreesWithTheVerdict) {
  pugi::xml_document document;
  pugi::xml_node suite = suite_of(document, pass_report());
  EXPECT_EQ(suite.attribute("tests").as_int(), 4);  // three budgets and the recording
  EXPECT_EQ(suite.attribute("failures").as_int() + suite.attribute("errors").as_int(), 0);

  suite = suite_of(document, violation_report());
  EXPECT_EQ(suite.attribute("failures").as_int(), 2);  // a budget, the baseline
  EXPECT_EQ(suite.attribute("errors").as_int(), 0);
  EXPECT_THAT(suite.find_child_by_attribute("testcase", "name", "allowances hold").child_value("system-out"),
              StartsWith("warning: allow eval.py:*"));

  suite = suite_of(document, cannot_tell_report());
  EXPECT_EQ(suite.attribute("failures").as_int(), 0);
  EXPECT_EQ(suite.attribute("errors").as_int(), 2);  // a budget, the recording

  // Nothing was judged at all: an empty suite would look like a check that has passed.
  suite = suite_of(document, {});
  EXPECT_EQ(suite.attribute("errors").as_int(), 1);
}

TEST(CheckJunit, DoesNotFailAJobThatThePolicyLetsPass) {
  CheckReport report = cannot_tell_report();
  report.exit_code = 0;
  pugi::xml_document document;
  const pugi::xml_node suite = suite_of(document, report);
  EXPECT_EQ(suite.attribute("failures").as_int() + suite.attribute("errors").as_int(), 0);
  EXPECT_EQ(suite.attribute("skipped").as_int(), 2);
}

TEST(CheckJunit, SkipsWhatIsNotJudgedAndOnlyWarns) {
  CheckReport report = violation_report();
  report.verdict = Verdict::pass;
  report.exit_code = 0;
  report.reasons.clear();
  report.findings.resize(1);
  report.findings[0].level = report.budgets[0].budget.level = Level::warn;
  report.budgets[1].budget.level = Level::off;
  report.budgets[2].applies = false;
  pugi::xml_document document;
  const pugi::xml_node suite = suite_of(document, report);
  EXPECT_EQ(suite.attribute("skipped").as_int(), 2);
  EXPECT_EQ(suite.attribute("failures").as_int(), 0);
  EXPECT_THAT(suite.child("testcase").child_value("system-out"), StartsWith("warning: waits (region train)"));
}

TEST(CheckSarif, RefersToItsRules) {
  const Json run = Json::parse(render_check_sarif(violation_report()))["runs"][0];
  const Json& rules = run["tool"]["driver"]["rules"];
  ASSERT_EQ(rules.size(), 2u);  // scalar-read, allowance-unused
  for (const Json& result : run["results"])
    EXPECT_EQ(rules[result["ruleIndex"].get<std::size_t>()]["id"], result["ruleId"]);
  EXPECT_THAT(rules[0]["help"]["markdown"].get<std::string>(), HasSubstr("What to do"));
  EXPECT_EQ(run["invocations"][0]["exitCode"], 1);
  EXPECT_EQ(run["invocations"][0]["executionSuccessful"], true);
}

TEST(CheckSarif, TellsWhatCannotBeToldAsNotifications) {
  const Json run = Json::parse(render_check_sarif(cannot_tell_report()))["runs"][0];
  EXPECT_EQ(run["results"].size(), 0u);
  const Json& invocation = run["invocations"][0];
  EXPECT_EQ(invocation["executionSuccessful"], false);
  ASSERT_EQ(invocation["toolExecutionNotifications"].size(), 2u);  // the reason, what to do
  const Json& first = invocation["toolExecutionNotifications"][0];
  EXPECT_EQ(first["level"], "error");
  EXPECT_EQ(run["tool"]["driver"]["notifications"][first["descriptor"]["index"].get<std::size_t>()]["id"],
            first["descriptor"]["id"]);
}

TEST(CheckJson, NamesFilesWithoutTheirFolders) {
  CheckReport report = violation_report();
  report.policy = "/home/alice/job/zerostall.toml";
  report.baseline = "../shared/zerostall.baseline.json";
  report.checked[0].trace = "/tmp/alice/run.zstall";
  const Json json = Json::parse(render_check_json(report));
  EXPECT_EQ(json["policy"], "zerostall.toml");
  EXPECT_EQ(json["baseline"], "zerostall.baseline.json");
  EXPECT_EQ(json["processes"][0]["trace"], "run.zstall");
  for (const CheckFormat& format : check_formats())
    if (format.name != "text") {
      EXPECT_THAT(format.render(report), Not(HasSubstr("alice"))) << format.name;
    }
}

TEST(CheckJson, HasNullForWhatIsUnknown) {
  const Json json = Json::parse(render_check_json(cannot_tell_report()));
  EXPECT_TRUE(json["budgets"][1]["actual"].is_null());
  EXPECT_TRUE(json["processes"][1]["most_waits"].is_null());
  EXPECT_EQ(json["processes"][0]["most_waits"], 0);
}

TEST(CheckBencher, LeavesOutWhatWouldBeTakenForProgress) {
  RunSummary run = make_counted_run();
  const CheckedRun whole{"", &run};
  const Json json = Json::parse(render_check_bencher({&whole, 1}))["zerostall"];
  EXPECT_EQ(json["waits-per-step"], Json({{"value", 1}, {"lower_value", 0}, {"upper_value", 2}}));
  EXPECT_EQ(json["blocked-per-step-ns-modelled"]["upper_value"], 2000);
  EXPECT_FALSE(json.contains("drains-per-step"));  // unknown
  run.meta.clock = Clock::measured;
  EXPECT_THAT(render_check_bencher({&whole, 1}), HasSubstr("\"blocked-per-step-ns\""));
  run.lost = 1;
  EXPECT_EQ(render_check_bencher({&whole, 1}), "{}\n");
  EXPECT_EQ(render_check_bencher({}), "{}\n");
}

TEST(CheckWriters, SuggestAllowancesThatThePolicyTakesOnceTheyHaveAReason) {
  std::string block = allow_toml(violation_report().suggested);
  EXPECT_FALSE(parse_policy(block, "zerostall.toml"));
  block.replace(block.find("reason = \"\""), 11, "reason = \"the loss is shown\"");
  const auto policy = parse_policy(block, "zerostall.toml");
  ASSERT_TRUE(policy) << policy.error().message;
  ASSERT_EQ(policy->allow.size(), 1u);
  EXPECT_EQ(policy->allow[0].site, "train.py:step");
  EXPECT_EQ(policy->allow[0].waits_per_step, 2);
}

TEST(CheckWriters, CutLongListsAndSaySo) {
  const CheckReport report = large_report(3000);
  EXPECT_LT(render_check_text(report).size(), 40'000u);
  EXPECT_THAT(render_check_text(report), HasSubstr("... 2980 more findings: --out json=FILE has them"));
  EXPECT_THAT(render_check_text(report), HasSubstr("# and 2980 more places\n"));
  EXPECT_EQ(Json::parse(render_check_json(report))["left_out"]["findings"], 2000);
  EXPECT_EQ(Json::parse(render_check_json(report))["budgets"][0]["sites_left_out"], 2981);
  EXPECT_EQ(Json::parse(render_check_gitlab(report)).size(), kMostFindings + 1);
  const Json run = Json::parse(render_check_sarif(report))["runs"][0];
  EXPECT_EQ(run["results"].size(), kMostFindings);
  EXPECT_EQ(run["invocations"][0]["toolExecutionNotifications"].back()["message"]["text"],
            "2000 more findings are not listed");
}

}  // namespace
}  // namespace zerostall
