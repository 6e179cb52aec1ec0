// The page and its JSON say what the summaries say. How a browser reads the page: report_pages.py.
#include "reports/html_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "reports/report_chart.h"
#include "reports/report_model.h"
#include "tests/reports/check_reports.h"
#include "tests/reports/report_inputs.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::ordered_json;

Json json_of(ReportCase& made) { return Json::parse(render_report_json(made.input())); }
std::string page_of(ReportCase& made) { return render_html_report(made.input()); }

// What stands above the parts of the page.
std::string top_of(const std::string& page) { return page.substr(0, page.find("<nav")); }

// The row of a figure, of the first table that has it.
Json figure(const Json& report, const std::string& key) {
  for (const Json& group : report["figures"])
    for (const Json& row : group["rows"])
      if (row["key"] == key) return row;
  return nullptr;
}

TEST(HtmlReport, FiguresAreThoseOfTheSummaries) {
  ReportCase made{{report_run({})}, {report_run({.bn = 0, .loss = 0})}};
  const Json report = json_of(made);
  EXPECT_EQ(report["schema"], "zerostall/report/1");
  const std::pair<const char*, Counter> counters[] = {
      {"waits", Counter::waits}, {"stream_syncs", Counter::stream_syncs}, {"h2d_stalls", Counter::h2d_stalls}};
  for (const auto& [key, counter] : counters) {
    const Json row = figure(report, key);
    EXPECT_EQ(row["before"]["median"], made.before[0].per_step[counter]->median) << key;
    EXPECT_EQ(row["after"]["max"], made.after[0].per_step[counter]->max) << key;
    EXPECT_EQ(row["sure"], "exact");
  }
  EXPECT_EQ(figure(report, "waits")["change"], "−3");
  EXPECT_EQ(report["after"][0]["each_step"].size(), made.after[0].steps.size());
  EXPECT_EQ(report["before"][0]["each_step"][5]["waits"], *made.before[0].steps[5].counters[Counter::waits]);
  EXPECT_THAT(report["verdict"]["sentence"].get<std::string>(),
              AllOf(HasSubstr("Host waits per step: 13 → 10"), HasSubstr("No time was measured.")));
}

TEST(HtmlReport, ModelledTimesStandFoldedAndNowhereElse) {
  ReportCase made{{report_run({})}, {report_run({.loss = 0})}};
  const std::string page = page_of(made);
  const std::size_t fold = page.find("<details class=\"modelled\">"), end = page.find("<details class=\"words\">");
  ASSERT_NE(fold, std::string::npos);
  const std::string outside = page.substr(0, fold) + page.substr(end, page.find("id=\"zerostall-report\"") - end);
  EXPECT_THAT(outside, AllOf(Not(HasSubstr(" ms<")), Not(HasSubstr(" µs<")), Not(HasSubstr("data-key=\"step_ns\""))));
  EXPECT_THAT(page.substr(fold, end - fold), AllOf(HasSubstr("data-key=\"step_ns\""), HasSubstr("modelled")));
  for (const Json& group : json_of(made)["figures"])
    for (const Json& row : group["rows"])
      if (row["key"].get<std::string>().ends_with("_ns")) {
        EXPECT_EQ(row["sure"], "modelled");
      }
}

TEST(HtmlReport, MeasuredTimesCarryTheirTest) {
  ReportCase made{{report_run({}, true)}, {report_run({.bn = 0, .loss = 0}, true)}};
  const Json row = figure(json_of(made), "step_ns");
  ASSERT_FALSE(row.is_null());
  EXPECT_THAT((std::vector<std::string>{"significant", "not-significant", "cannot-tell"}),
              ::testing::Contains(row["sure"].get<std::string>()));
  EXPECT_THAT(page_of(made), Not(HasSubstr("<details class=\"modelled\">")));
  for (const char* key : {"blocked_ns", "avoidable_idle_ns"})
    EXPECT_NE(figure(json_of(made), key)["sure"], "not-tested");
}

TEST(HtmlReport, OnlyWhatIsSureIsColoured) {
  const auto change = [](const std::string& page, const std::string& key) {
    const std::size_t row = page.find("data-key=\"" + key + "\""),
                      begin = page.find("class=\"number change ", row) + 21;
    return page.substr(begin, page.find('"', begin) - begin);
  };
  ReportCase modelled{{report_run({})}, {report_run({.loss = 0})}};
  EXPECT_EQ(change(page_of(modelled), "waits"), "fewer");
  EXPECT_EQ(change(page_of(modelled), "blocked_ns"), "same");
  RunSummary slower = report_run({}, true), noisy = slower;
  for (std::size_t i = 0; i < slower.steps.size(); ++i) {
    slower.steps[i].end_ns += 50'000'000;
    noisy.steps[i].end_ns += i % 2 ? 9'000'000 : -100;
  }
  ReportCase measured{{report_run({}, true)}, {slower}}, unclear{{report_run({}, true)}, {noisy}};
  EXPECT_EQ(change(page_of(measured), "step_ns"), "more");
  EXPECT_EQ(figure(json_of(unclear), "step_ns")["sure"], "not-significant");
  EXPECT_EQ(change(page_of(unclear), "step_ns"), "same");
}

TEST(HtmlReport, SimulatedAgainstMeasuredComparesNoTimes) {
  ReportCase made{{report_run({})}, {report_run({}, true)}};
  const Json report = json_of(made);
  EXPECT_TRUE(figure(report, "step_ns").is_null());
  EXPECT_THAT(report["verdict"]["sentence"].get<std::string>(), HasSubstr("simulated against measured"));
}

TEST(HtmlReport, PlacesOfBothSidesStandBesideEachOther) {
  ReportCase made{{report_run({})}, {report_run({.loss = 0})}};
  const auto sites = report::sites_of(made.input());
  ASSERT_EQ(sites.rows.size(), made.before[0].sites.size());
  EXPECT_EQ(sites.rows.front().state, "gone");  // what changed comes first
  EXPECT_FALSE(sites.rows.front().after);
  for (std::size_t i = 1; i < sites.rows.size(); ++i) EXPECT_EQ(sites.rows[i].state, "same");
}

TEST(HtmlReport, OneRunSaysWhatWaitsAndComparesNothing) {
  ReportCase made{{}, {report_run({})}};
  const std::string page = page_of(made);
  EXPECT_THAT(page, AllOf(HasSubstr("The host waits for the GPU 13 times in each step"), HasSubstr("budget"),
                          Not(HasSubstr(">change</th>"))));
  EXPECT_TRUE(json_of(made)["before"].empty());
}

TEST(HtmlReport, ZeroWaitsSaysWhatWasWatched) {
  ReportCase made{{}, {report_run({.bn = 0, .loss = 0, .load = 0})}};
  EXPECT_THAT(
      page_of(made),
      AllOf(
          HasSubstr("The host never waits for the GPU in 10 judged steps."),
          HasSubstr("No place waits for the GPU. Watched: 12 CUDA calls, 12 kernels on the GPU, in 10 judged steps.")));
}

TEST(HtmlReport, NoStepsIsSaid) {
  TraceBuilder t;
  t.item();
  t.item();
  const std::string file = t.bytes();
  ReportCase made{{}, {analyze(std::move(*parse_native(std::as_bytes(std::span(file)), "t")), {"t", 2})}};
  EXPECT_THAT(page_of(made), AllOf(HasSubstr("No steps were found"), HasSubstr("2 host waits in the whole run"),
                                   HasSubstr("no steps are marked"), Not(HasSubstr("class=\"plot\""))));
}

TEST(HtmlReport, WhatIsMissingIsSaid) {
  RunSummary run = report_run({});
  run.lost = 7;
  run.truncated = true;
  run.end.byte = 1000;
  ReportCase made{{}, {run}};
  EXPECT_THAT(top_of(page_of(made)), AllOf(HasSubstr("The trace is cut off at byte 1000."),
                                           HasSubstr("7 records of GPU work lost while recording.")));
  EXPECT_EQ(json_of(made)["after"][0]["complete"], false);
  EXPECT_EQ(json_of(made)["verdict"]["incomplete"].size(), 2u);
  ReportCase whole{{}, {report_run({})}};
  EXPECT_THAT(page_of(whole), Not(HasSubstr("class=\"incomplete\"")));
}

TEST(HtmlReport, WhatIsMissingIsSaidOfItsSide) {
  RunSummary run = report_run({});
  run.lost = 7;
  const auto incomplete = [](ReportCase made) {
    return json_of(made)["verdict"]["incomplete"].get<std::vector<std::string>>();
  };
  EXPECT_THAT(incomplete({{run}, {report_run({})}}), ElementsAre(StartsWith("Before: 7 records")));
  EXPECT_THAT(incomplete({{report_run({})}, {run}}), ElementsAre(StartsWith("After: 7 records")));
  EXPECT_THAT(incomplete({{run}, {run}}), ElementsAre(StartsWith("Before and after: 7 records")));
  ReportCase checked{{}, {run}};
  checked.check = pass_report();
  EXPECT_THAT(top_of(page_of(checked)), HasSubstr("7 records of GPU work lost"));
}

// Each of these is what a reader at midnight would stumble over.
TEST(HtmlReport, WordsAreThoseOfAPage) {
  RunSummary varying = report_run({});
  for (std::size_t i = 0; i < varying.steps.size(); i += 2) varying.steps[i].counters[Counter::waits] = 4;
  varying.per_step.values[static_cast<std::size_t>(Counter::waits)] = Spread{3, 4, 4, 4};
  RunSummary none = varying;
  none.steps.clear();
  none.per_step = {};
  for (ReportCase made : {ReportCase{{}, {varying}}, ReportCase{{varying}, {report_run({.loss = 0})}},
                          ReportCase{{none}, {none}}, ReportCase{{varying}, {none}}, verify_case()}) {
    const std::string page = page_of(made),
                      text = page.substr(page.find("<body>"), page.find("<script") - page.find("<body>"));
    for (const char* bad : {" A and B", "of A ", "of B ", "in A:", "in B:", "..4", "0.000 ms", "-0"})
      EXPECT_THAT(text, Not(HasSubstr(bad))) << bad;
  }
  ReportCase one{{}, {varying}};
  EXPECT_THAT(page_of(one), HasSubstr("waits for the GPU 3 to 4 times (median 4) in each step"));
}

TEST(HtmlReport, TimesHaveAUnitThatShowsThem) {
  EXPECT_EQ(report::show_duration(0), "0");
  EXPECT_EQ(report::show_duration(850), "850 ns");
  EXPECT_EQ(report::show_duration(1'234), "1.23 µs");
  EXPECT_EQ(report::show_duration(45'600), "45.6 µs");
  EXPECT_EQ(report::show_duration(999'600), "1.00 ms");
  EXPECT_EQ(report::show_duration(177'400'000), "177 ms");
  EXPECT_EQ(report::show_duration(2'310'000'000), "2.31 s");
  EXPECT_EQ(report::show_duration(std::nullopt), "unknown");
}

TEST(HtmlReport, NoTwoTicksOfAChartSayTheSame) {
  for (const std::int64_t length : {3, 700, 1'100, 45'000, 1'999'999, 180'000'000}) {
    RunSummary run = report_run({}, true);
    for (StepRow& step : run.steps) step.end_ns = step.begin_ns + length;
    ReportCase made{{}, {run}};
    const auto chart = report::times_chart(made.input());
    ASSERT_TRUE(chart);
    std::set<std::string> labels;
    for (const auto& tick : chart->y) labels.insert(tick.label);
    EXPECT_EQ(labels.size(), chart->y.size()) << length;
    EXPECT_THAT(chart->y.size(), AllOf(::testing::Ge(2u), ::testing::Le(6u))) << length;
  }
}

TEST(HtmlReport, NothingRecordedIsAPageToo) {
  ReportCase made;
  made.check = CheckReport{};
  EXPECT_THAT(page_of(made), AllOf(HasSubstr("Cannot tell"), HasSubstr("</html>")));
}

TEST(HtmlReport, TheGateSpeaksFirst) {
  ReportCase made{{}, {report_run({})}};
  made.check = violation_report();
  const std::string page = page_of(made);
  EXPECT_THAT(page, AllOf(HasSubstr("<h1 class=\"verdict violation\"><span class=\"word\">Violation</span>"),
                          HasSubstr("3 waits allowed, 10 outside of steps"), HasSubstr("train.py:31 in step")));
  EXPECT_EQ(json_of(made)["check"]["verdict"], "violation");
}

TEST(HtmlReport, TheBudgetIsALineInTheChart) {
  ReportCase made{{}, {report_run({})}};
  made.check = pass_report();
  EXPECT_THAT(page_of(made), Not(HasSubstr("<line class=\"budget\"")));  // they are of regions
  made.check->budgets.push_back(make_result(make_budget("waits", "", 11, 3), 13));
  EXPECT_THAT(page_of(made), AllOf(HasSubstr("<line class=\"budget\""), HasSubstr("budget: at most 11")));
}

TEST(HtmlReport, VerifyShowsEachSettingAndExplainsEachFix) {
  ReportCase made = verify_case();
  const std::string page = page_of(made);
  EXPECT_THAT(page, AllOf(HasSubstr("<span class=\"word\">Pass</span>"), HasSubstr("bn-pinning + async-loss"),
                          HasSubstr("Stays: 10 waits in `load`"), HasSubstr("<strong>bn-pinning</strong>"),
                          HasSubstr("<strong>async-loss</strong>"), HasSubstr("inside `train`")));
  EXPECT_EQ(json_of(made)["verify"]["verdict"], "pass");
}

TEST(HtmlReport, ManyStepsStayReadable) {
  ReportCase made{{}, {report_run({.bn = 0, .load = 1}, false, 3000)}};
  const std::string page = page_of(made);
  EXPECT_THAT(page, AllOf(HasSubstr("Each mark stands for 13 steps"), HasSubstr("and 2600 more steps")));
  EXPECT_LT(page.size(), 1'500'000u);
}

TEST(HtmlReport, FoldersOfTheMachineStayAtHome) {
  EXPECT_EQ(report::shown("cannot write /home/alice/secret/run.zstall: disk full"),
            "cannot write run.zstall: disk full");
  EXPECT_EQ(report::shown("/home/alice/train.py:31 in step"), "train.py:31 in step");
  EXPECT_EQ(report::shown("C:\\Users\\alice\\train.py:31"), "train.py:31");
  EXPECT_EQ(report::shown("models/unet.py:3, 4 / 5, and/or"), "models/unet.py:3, 4 / 5, and/or");
  ReportCase made{{}, {called(report_run({}), "/home/alice/secret/train.py")}};
  EXPECT_THAT(page_of(made), AllOf(Not(HasSubstr("alice")), HasSubstr("train.py")));
}

TEST(HtmlReport, IsTheSameEachTime) {
  ReportCase made = verify_case();
  EXPECT_EQ(page_of(made), page_of(made));
}

}  // namespace
}  // namespace zerostall
