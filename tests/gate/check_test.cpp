// `zerostall check` as a table: what a policy asks for, what a program did, what is said of it.
#include "profiler/gate/check.h"

#include <gtest/gtest.h>

#include "profiler/gate/baseline.h"
#include "profiler/gate/policy_file.h"
#include "tests/gate/step_text.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using namespace std::chrono_literals;

constexpr Date kToday{2026y, std::chrono::November, 30d};

struct Row {
  const char* policy;  // TOML
  const char* steps;   // step_text.h
  Verdict verdict;
  int code;
  const char* says;  // part of the first reason, or of a note
  TextRun shape{};
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.policy << " | " << row.steps; }

std::string all_of(const CheckReport& report) {
  std::string text;
  for (const Reason& reason : report.reasons) text += std::string(name_of(reason.verdict)) + ": " + reason.text + "\n";
  for (const std::string& note : report.notes) text += "note: " + note + "\n";
  for (const Finding& finding : report.findings)
    if (finding.level == Level::warn) text += "warn: " + finding.text + "\n";
  return text;
}

constexpr Verdict kPass = Verdict::pass, kFail = Verdict::violation, kNo = Verdict::cannot_tell;

const TextRun kMeasured{.measured = true, .step_ns = 2'000'000};
TextRun unmarked() { return {.marked = false}; }
TextRun damaged(void (*change)(RawTrace&)) { return {.change = change}; }
void truncate(RawTrace& raw) { raw.truncated = true; }
void lose(RawTrace& raw) { raw.gpu_ops.clear(), raw.meta.gpu_records = true; }
TextRun of_rank(std::int64_t rank) { return {.rank = rank}; }
TextRun warm(std::int64_t steps) { return {.warmup = steps}; }
TextRun noisy(Nanos usual, Nanos sometimes) {
  return {.measured = true, .times = [=](int n) { return n % 4 == 0 ? sometimes : usual; }};
}

const std::vector<Row> kRows = {
    // A number is the maximum over judged steps.
    {"[budget]\nwaits = 0", "- - - -", kPass, 0, ""},
    {"[budget]\nwaits = 0", "- - w -", kFail, 1, "found 1 in step 2: src/train.py:31 in log_loss"},
    {"[budget]\nwaits = 1", "w w w w", kPass, 0, ""},
    {"[budget]\nwaits = 1", "w ww w", kFail, 1, "found 2 in step 1"},
    {"[budget]\nwaits = 1", "w ww ww", kFail, 1, "over in 2 of 3 judged steps"},
    {"[budget]\nwaits = 0", "w - - -", kPass, 0, "", warm(1)},
    {"[budget]\nwaits = 0", "w - - - w", kFail, 1, "in step 4", warm(1)},
    {"[budget]\nstream_syncs = 0", "d d d", kPass, 0, ""},
    {"[budget]\nstream_syncs = 0", "s s s", kFail, 1, "flush"},
    {"[budget]\ndevice_syncs = 0", "d s s", kFail, 1, "barrier"},
    {"[budget]\nevent_syncs = 0", "- - e", kFail, 1, "src/train.py:70 in wait"},
    {"[budget]\nh2d_stalls = 1", "u u u", kPass, 0, ""},
    {"[budget]\nh2d_stalls = 1", "u uu u", kFail, 1, "src/train.py:12 in load"},
    {"[budget]\nh2d_stalls = 0", "w w w", kPass, 0, ""},
    {"[budget]\nblocking_copies = 0", "- u -", kFail, 1, "found 1 in step 1"},
    {"[budget]\nimplicit = 0", "- - a", kFail, 1, "implicit: at most 0 in each step; found 1 in step 2"},
    {"[budget]\nwaits = 0\nimplicit = 0", "- a -", kFail, 1, "implicit"},
    // Other statistics.
    {"[budget]\nwaits = { median = 1 }", "w w www", kPass, 0, ""},
    {"[budget]\nwaits = { median = 1 }", "w ww www", kFail, 1, "found median 2"},
    {"[budget]\nwaits = { p95 = 2 }", "w w www", kFail, 1, "95th percentile 3"},
    {"[budget]\nwaits = { total = 3 }", "w w w", kPass, 0, ""},
    {"[budget]\nwaits = { total = 3 }", "w ww w", kFail, 1, "found 4 in all"},
    {"[budget]\nwaits = { at_most = 1, every = 3 }", "w - - w - -", kPass, 0, ""},
    {"[budget]\nwaits = { at_most = 1, every = 3 }", "w - w - - -", kFail, 1, "found 2 in the 3 steps from step 0 on"},
    {"[budget]\nwaits = { at_most = 1, every = 9 }", "w - - -", kNo, 3, "9 are needed for a limit on every 9 steps"},
    {"[budget]\nwaits = { at_most = 1, every = 9 }", "w - w -", kFail, 1, "found 2"},
    {"[budget]\nwaits = { max = 2, total = 3 }", "ww - w -", kPass, 0, ""},
    {"[budget]\nwaits = { max = 1, total = 3 }", "ww - w -", kFail, 1, "at most 1 in each step"},
    // Regions.
    {"[budget.region.train]\nwaits = 0", "w w w", kPass, 0, ""},
    {"[budget.region.train]\nwaits = 0", "- W -", kFail, 1, "waits (region train): at most 0 in each step"},
    {"[budget.region.load]\nh2d_stalls = 0", "U U U", kPass, 0, ""},
    {"[budget.region.decode]\nwaits = 0", "- - -", kNo, 3,
     "no judged step has a region `decode`; there are: train, load"},
    {"[budget]\nwaits = 2\n[budget.region.train]\nwaits = 0", "wW W W", kFail, 1, "region train"},
    // Causes, places, devices, ranks.
    {"[budget.cause.explicit-sync]\nwaits = 0", "w w w", kPass, 0, ""},
    {"[budget.cause.explicit-sync]\nwaits = 0", "w d w", kFail, 1, "barrier"},
    {"[budget.site.\"train.py:flush\"]\nwaits = 0", "w w w", kPass, 0, ""},
    {"[budget.cause.explicit-sync]\nwaits = 0", "w w w", kPass, 0, "the source of 1 place is not at hand"},
    {"[budget.site.\"train.py:flush\"]\nwaits = 0", "w s w", kFail, 1, "at train.py:flush"},
    {"[budget.site.\"*.py:*\"]\nwaits = 1", "ws w w", kFail, 1, "found 2"},
    {"[budget.device.\"*H100*\"]\nwaits = 0\n[budget]\nwaits = 1", "w w w", kPass, 0, "not judged on this device"},
    {"[budget.device.\"*H200*\"]\nwaits = 0", "w w w", kFail, 1, "found 1"},
    {"[budget.rank.1]\nwaits = 0", "w w w", kFail, 1, "rank 1", of_rank(1)},
    {"[budget.rank.3]\nwaits = 0\n[budget]\nwaits = 1", "w w w", kNo, 3, "no process of rank 3", of_rank(1)},
    {"[[rule]]\nregion = \"train\"\ncause = \"explicit-sync\"\nwaits = 0", "d W w", kPass, 0, ""},
    // Beside and outside of the steps.
    {"[budget]\nwaits = 0", "b b b", kPass, 0, ""},
    {"[budget.background]\nwaits = 0", "- b -", kFail, 1, "on other threads"},
    {"[budget]\nwaits = 0", "o o o", kNo, 3, "2 waits between the judged steps, in 2 of 2 gaps"},
    {"[budget]\nwaits = 0", "wo o o", kFail, 1, "found 1 in step 0"},
    {"[budget]\nwaits = 0\n[budget.outside]\nwaits = { total = 3 }", "o o o", kPass, 0, ""},
    {"[budget]\nwaits = 0", "- o - - -", kPass, 0, ""},
    {"[budget]\nwaits = 0", "b b b", kPass, 0, "other threads wait in 3 of 3 judged steps"},
    {"[budget.outside]\nwaits = { total = 2 }", "o o o", kFail, 1, "outside of steps"},
    {"[budget.outside]\nwaits = { total = 3 }", "o o o", kPass, 0, ""},
    // Levels.
    {"[budget]\nwaits = { max = 0, level = \"warn\" }", "w w w", kPass, 0, "found 1"},
    {"[budget]\nwaits = { max = 0, level = \"off\" }\nh2d_stalls = 0", "w w w", kPass, 0, ""},
    // What is not known, or not enough.
    {"[budget]\nwaits = 0", "", kNo, 3, "never used CUDA"},
    {"[budget]\nwaits = 0", "- -", kNo, 3, "2 steps in the trace to judge"},
    {"[budget]\nwaits = 0", "w w", kNo, 3, "at least 3 are needed"},
    {"[budget]\nwaits = 0", "- - - -", kNo, 3, "at least 3 are needed", warm(2)},
    {"[budget]\nwaits = 0\n[run]\nfewest_steps = 9", "- - - -", kNo, 3, "at least 9 are needed"},
    {"[budget]\nwaits = 0\n[run]\nfewest_steps = 9", "- w - -", kFail, 1, "found 1 in step 1"},
    {"[budget]\nwaits = 0", "- - - -", kNo, 3, "no judged step gives the GPU any work", {.idle = true}},
    {"[budget.device.\"*B200*\"]\nwaits = 0", "w w w", kNo, 3, "no limit of the policy is about this run"},
    {"[budget]\nwaits = { max = 0, level = \"off\" }", "w w w", kNo, 3, "no limit of the policy is about this run"},
    {"[budget.site.\"train.py:flush\"]\nwaits = 0", "w w w", kPass, 0, "no wait of this run is there"},
    {"[budget.site.\"train.py:flush\"]\nwaits = 0",
     "w w w",
     kNo,
     3,
     "3 waits in judged steps have no line",
     {.with_stacks = false}},
    {"[budget.site.\"train.py\"]\nwaits = 0", "w w w", kFail, 1, "found 1"},
    {"[budget]\nwaits = 0\n[[allow]]\nsite = \"train.py\"\nreason = \"r\"", "w w w", kPass, 0, ""},
    {"[budget]\nwaits = 0", "w - w - w - w -", kNo, 3, "no step is marked", unmarked()},
    {"[budget]\nwaits = 0\n[run]\nsteps = \"inferred\"", "w w w w w w w w w w", kFail, 1, "found 1", unmarked()},
    {"", "- - -", kNo, 3, "nothing to check"},
    {"[budget]\nwaits = 0", "- - -", kNo, 3, "the trace is", damaged(truncate)},
    {"[budget]\nwaits = 0", "- w -", kFail, 1, "found 1 in step 1", damaged(truncate)},
    {"[budget]\nwaits = { median = 0 }", "w w w", kNo, 3, "the trace is", damaged(truncate)},
    {"[budget]\ndrains = 0", "w w w", kNo, 3, "", damaged(lose)},
    {"[budget]\nwaits = 0", "- - - !", kNo, 3, "cudaFoo, which the simulated GPU does not support"},
    {"[budget]\nwaits = 0", "w - - !", kFail, 1, "found 1 in step 0"},
    {"[budget]\nwaits = 0", "! - - -", kPass, 0, "", warm(1)},
    {"[budget]\nwaits = 0", "- ? -", kNo, 3, "host memory of unknown kind"},
    {"cannot_tell = \"warn\"\n[budget]\nwaits = 0", "- -", kNo, 0, "at least 3 are needed"},
    {"[budget]\nwaits = 0", "- x -", kPass, 0, "1 read-back in judged steps had no real value"},
    {"unreal_values = \"cannot-tell\"\n[budget]\nwaits = 0", "- x -", kNo, 3, "had no real value"},
    {"unreal_values = \"cannot-tell\"\n[budget]\nwaits = 0", "w x -", kFail, 1, "found 1"},
    // Waits that are let pass.
    {"[budget]\nwaits = 0\n[[allow]]\nsite = \"train.py:log_loss\"\nreason = \"r\"", "w w w", kPass, 0, ""},
    // What the program itself lets pass is told beside the verdict; a reason is needed; other waits count as ever.
    {"[budget]\nwaits = 0", "A A A", kPass, 0,
     "3 waits in judged steps let pass by the program itself, since \"shown\": src/train.py:31 in log_loss"},
    {"[budget]\nstream_syncs = 0", "A - AA", kPass, 0, "3 waits in judged steps let pass"},
    {"[budget]\nwaits = 0", "A wA A", kFail, 1, "found 1 in step 1: src/train.py:31 in log_loss"},
    {"[budget]\nwaits = 0", "E - -", kFail, 1, "found 1 in step 0"},
    {"[budget]\nwaits = 0", "A A A A A", kPass, 0, "3 waits in judged steps let pass", warm(2)},
    {"[budget]\nwaits = 0\n[[allow]]\nsite = \"train.py:log_loss\"\nreason = \"r\"", "Aw Aw Aw", kPass, 0,
     "since \"shown\""},
    {"[budget]\nwaits = 0\n[[allow]]\nsite = \"train.py:log_loss\"\nreason = \"r\"", "w ww w", kFail, 1,
     "found 1 in step 1"},
    {"[budget]\nwaits = 0\n[[allow]]\nsite = \"train.py:log_loss\"\nreason = \"r\"", "w ws w", kFail, 1, "flush"},
    {"[budget]\nwaits = 0\n[[allow]]\nsite = \"src/*:log_*\"\nwaits_per_step = 2\nreason = \"r\"", "w ww w", kPass, 0,
     ""},
    {"[budget]\nwaits = 0\n[[allow]]\nsite = \"rain.py:log_loss\"\nreason = \"r\"", "w w w", kFail, 1, "found 1"},
    {"[budget]\nstream_syncs = 0\n[[allow]]\nsite = \"train.py:log_loss\"\nreason = \"r\"", "w w w", kPass, 0, ""},
    {"[budget]\nh2d_stalls = 0\n[[allow]]\nsite = \"train.py:load\"\nreason = \"r\"", "u wu u", kPass, 0, ""},
    {"[budget]\nwaits = 0\n[[allow]]\ncause = \"explicit-sync\"\nreason = \"r\"", "d s d", kPass, 0, ""},
    {"[budget]\nwaits = 0\n[[allow]]\nregion = \"tr*\"\nreason = \"r\"", "W W W", kPass, 0, ""},
    {"[budget]\nwaits = 0\n[[allow]]\nregion = \"tr*\"\nreason = \"r\"", "W w W", kFail, 1, "in step 1"},
    {"[budget.region.train]\nwaits = 0\n[[allow]]\nsite = \"*:log_loss\"\nreason = \"r\"", "W W W", kPass, 0, ""},
    {"[budget]\nwaits = 0\n[[allow]]\nsite = \"*:log_loss\"\nevery = 3\nreason = \"r\"", "w - - w - -", kPass, 0, ""},
    {"[budget]\nwaits = 0\n[[allow]]\nsite = \"*:log_loss\"\nevery = 3\nreason = \"r\"", "w - w - - -", kFail, 1,
     "in step 2"},
    {"[budget]\nwaits = 0\n[[allow]]\nsite = \"*:nobody\"\nreason = \"r\"", "- - -", kPass, 0, "matches no wait"},
    {"[budget]\nwaits = 0\n[[allow]]\nsite = \"*:nobody\"\nevery = 50\nreason = \"r\"", "- - -", kPass, 0, ""},
    {"[budget]\nwaits = 0\n[[allow]]\nsite = \"*:log_loss\"\nreason = \"r\"\nexpires = 2026-12-05", "w w w", kPass, 0,
     "expires on 2026-12-05"},
    {"[budget]\nwaits = 0\n[[allow]]\nsite = \"*:log_loss\"\nreason = \"r\"\nexpires = 2026-11-30", "w w w", kFail, 1,
     "expired on 2026-11-30, not caused by this change"},
    {"[budget]\nwaits = 0\n[[allow]]\nsite = \"*:log_loss\"\nreason = \"r\"\nexpires = 2026-01-01", "- - -", kPass, 0,
     "no longer needed"},
    // Times: measured ones, and only what is significant.
    {"[budget]\nblocked_time = \"1 ms\"", "- - - - - - - -", kNo, 3, "times of the simulated GPU are modelled"},
    {"[budget]\nstep_time = \"3 ms\"", "- - - - - - - - - -", kPass, 0, "", kMeasured},
    {"[budget]\nstep_time = \"1 ms\"", "- - - - - - - - - -", kFail, 1, "step_time", kMeasured},
    {"[budget]\nstep_time = \"1 ms\"", "- - - -", kNo, 3, "at least 5 are needed", kMeasured},
    {"[budget]\nstep_time = \"3 ms\"", "- - - - - - - - - - - -", kPass, 0, "", noisy(2'000'000, 9'000'000)},
    {"[budget]\nstep_time = { slower = \"5 %\" }", "- - - - - - - -", kNo, 3, "needs a run to compare with", kMeasured},
    {"[budget]\nwaits = 0\nstep_time = \"3 ms\"", "- - w - - - - -", kFail, 1, "waits", kMeasured},
};

class CheckTable : public ::testing::TestWithParam<Row> {};

TEST_P(CheckTable, JudgesAsItSays) {
  const Row& row = GetParam();
  const auto policy = parse_policy(row.policy, "zerostall.toml");
  ASSERT_TRUE(policy) << policy.error().message;
  const RunSummary run = run_of(row.steps, row.shape);
  const std::vector<CheckedRun> runs = {{"", &run}};
  const CheckReport report = check(*policy, runs, nullptr, kToday);
  EXPECT_EQ(name_of(report.verdict), name_of(row.verdict)) << all_of(report);
  EXPECT_EQ(report.exit_code, row.code);
  EXPECT_NE(all_of(report).find(row.says), std::string::npos) << all_of(report);
  EXPECT_EQ(report.reasons.empty(), report.verdict == Verdict::pass) << all_of(report);
  EXPECT_EQ(report.verdict == Verdict::violation,
            !report.reasons.empty() && report.reasons.front().verdict == Verdict::violation);
}

INSTANTIATE_TEST_SUITE_P(Gate, CheckTable, ::testing::ValuesIn(kRows));

TEST(Check, TellsWhatWasLookedAtWhateverTheVerdict) {
  const auto policy = parse_policy("[budget]\nwaits = 1", "p.toml");
  const RunSummary run = run_of("w w w w b wo", {.warmup = 1});
  const std::vector<CheckedRun> runs = {{"", &run}};
  const CheckReport report = check(*policy, runs, nullptr, kToday);
  ASSERT_EQ(report.checked.size(), 1u);
  const CheckedFacts& facts = report.checked.front();
  EXPECT_EQ(facts.judged, 5);
  EXPECT_EQ(facts.warmup, 1);
  EXPECT_EQ(facts.steps_from, "marks");
  EXPECT_EQ(facts.most_waits, 1);
  EXPECT_EQ(facts.background, 1);
  EXPECT_EQ(facts.outside, 1);
  EXPECT_TRUE(facts.modelled);
}

// What it suggests to allow lets the same run pass, once it has a reason.
TEST(Check, SuggestsWhatWouldLetTheRunPass) {
  for (const char* steps : {"w w w", "wy wy wy", "ws wu wwd", "WW U s e", "v v d ve"}) {
    auto policy = *parse_policy("[budget]\nwaits = 0\nh2d_stalls = 0", "p.toml");
    const RunSummary run = run_of(steps);
    const std::vector<CheckedRun> runs = {{"", &run}};
    for (int round = 0; round < 4; ++round) {  // a budget names the places of one step
      const CheckReport report = check(policy, runs, nullptr, kToday);
      if (report.verdict == Verdict::pass) break;
      ASSERT_FALSE(report.suggested.empty()) << steps;
      policy.allow.insert(policy.allow.end(), report.suggested.begin(), report.suggested.end());
    }
    EXPECT_EQ(check(policy, runs, nullptr, kToday).verdict, Verdict::pass) << steps;
  }
}

TEST(Check, OneProcessThatBreaksABudgetIsEnough) {
  const auto policy = parse_policy("[budget]\nwaits = 0", "p.toml");
  const RunSummary good = run_of("- - -", of_rank(0)), bad = run_of("- w -", of_rank(1));
  const std::vector<CheckedRun> runs = {{"rank0", &good}, {"rank1", &bad}};
  const CheckReport report = check(*policy, runs, nullptr, kToday);
  EXPECT_EQ(report.verdict, Verdict::violation);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].run, "rank1");
  EXPECT_EQ(report.budgets.size(), 2u);
}

TEST(Check, WhatGotSlowerIsTestedAgainstTheRunsBefore) {
  const auto policy = parse_policy("[budget]\nstep_time = { slower = \"5 %\" }", "p.toml");
  const std::string steps = "- - - - - - - - - - - - - - - -";
  const auto taking = [&](Nanos ns) {
    return run_of(steps, {.measured = true, .times = [=](int n) { return ns + n % 5 * 10'000; }});
  };
  const RunSummary before = taking(2'000'000), same = taking(2'000'000), slower = taking(2'300'000);
  const std::vector<CheckedRun> old = {{"", &before}}, good = {{"", &same}}, bad = {{"", &slower}};
  EXPECT_EQ(check(*policy, good, nullptr, kToday, old).verdict, Verdict::pass);
  const CheckReport report = check(*policy, bad, nullptr, kToday, old);
  EXPECT_EQ(report.verdict, Verdict::violation) << all_of(report);
  EXPECT_NE(all_of(report).find("p = "), std::string::npos) << all_of(report);
  EXPECT_EQ(check(*policy, old, nullptr, kToday, bad).verdict, Verdict::pass);
}

TEST(Glob, MatchesTheWholeText) {
  EXPECT_TRUE(glob_matches("train.py:*", "train.py:step"));
  EXPECT_TRUE(glob_matches("*", ""));
  EXPECT_TRUE(glob_matches("a*b*c", "aXXbYYbc"));
  EXPECT_TRUE(glob_matches("?.py", "a.py"));
  EXPECT_TRUE(glob_matches("[x]", "[x]"));
  EXPECT_FALSE(glob_matches("train", "train.py"));
  EXPECT_FALSE(glob_matches("a*b", "aXXc"));
  EXPECT_FALSE(glob_matches("", "a"));
  const std::string many(20'000, 'a');  // would take for ever, were it tried in all ways
  EXPECT_FALSE(glob_matches("*a*a*a*a*a*a*a*a*b", many));
}

}  // namespace
}  // namespace zerostall
