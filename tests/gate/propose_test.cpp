// The policy that `init` proposes: it can be read, and the run that it was made from keeps to it.
#include "profiler/gate/propose.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/gate/policy_file.h"
#include "profiler/gate/propose_text.h"
#include "tests/gate/step_text.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr Date kToday{2026y, std::chrono::November, 30d};

ProposalSource source_of(std::int64_t warmup = 0) {
  ProposalSource source;
  source.run.command = {"python", "train.py"};
  source.run.device = "sim:h200";
  source.run.warmup = warmup;
  source.device = "simulated H200";
  return source;
}

Policy policy_of(const std::string& text) {
  const auto policy = parse_policy(text, "zerostall.toml");
  EXPECT_TRUE(policy) << text << "\n" << policy.error().message;
  return policy ? *policy : Policy{};
}

// What people get who take the lines behind # over as well.
std::string without_comment_signs(const std::string& text) {
  std::string all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    all += (line.starts_with("# ") && (line.find(" = ") != std::string::npos || line.starts_with("# [")) &&
                    line.find("`") == std::string::npos && line.find("torch") == std::string::npos &&
                    line.find("unreal") == std::string::npos
                ? line.substr(2)
                : line) +
           "\n";
  return all;
}

Verdict checked(const std::string& text, const RunSummary& run, std::string* why = nullptr) {
  const CheckedRun checked_run{"", &run};
  const CheckReport report = check(policy_of(text), std::span(&checked_run, 1), nullptr, kToday);
  if (why != nullptr) *why = report.reasons.empty() ? "" : report.reasons.front().text;
  return report.verdict;
}

std::string proposed(const RunSummary& run, const ProposalSource& source = source_of()) {
  const CheckedRun checked_run{"", &run};
  return propose_policy(std::span(&checked_run, 1), source);
}

class ProposedFor : public ::testing::TestWithParam<const char*> {};

TEST_P(ProposedFor, TheRunItWasMadeFromPasses) {
  const RunSummary run = run_of(GetParam());
  const std::string text = proposed(run);
  std::string why;
  EXPECT_EQ(checked(text, run, &why), Verdict::pass) << why << "\n" << text;
  EXPECT_EQ(checked(without_comment_signs(text), run, &why), Verdict::pass) << why << "\n" << text;
}

TEST_P(ProposedFor, OneMoreWaitInAStepFails) {
  const std::string steps = GetParam();
  const std::string worst = steps.substr(steps.rfind(' ') + 1);
  const RunSummary run = run_of(steps), more = run_of(steps + "wwwwW");
  EXPECT_EQ(checked(proposed(run), more), Verdict::violation) << worst;
}

INSTANTIATE_TEST_SUITE_P(Steps, ProposedFor,
                         ::testing::Values("- - -", "w w w", "w - ww -", "U W UW wsde", "b b b", "o - -o -", "a a - a",
                                           "x x x", "wu UU W - v", "bo bo wob -"));

TEST(Propose, NamesCountsRegionsAndPlaces) {
  const std::string text = proposed(run_of("wU wU wUU"));
  EXPECT_THAT(text, HasSubstr("command = [\"python\", \"train.py\"]\ndevice = \"sim:h200\"\n"));
  EXPECT_THAT(text, HasSubstr("from 3 judged steps on simulated H200"));
  EXPECT_THAT(
      text, HasSubstr("[budget]                    # the whole step\nwaits = 3\nh2d_stalls = 2\n# stream_syncs = 3\n"));
  EXPECT_THAT(text, HasSubstr("[budget.region.train]\nwaits = 2\nh2d_stalls = 2\n"));
  EXPECT_THAT(text, HasSubstr("[budget.region.load]\nwaits = 0\nh2d_stalls = 0\n"));
  EXPECT_THAT(text, HasSubstr("#    2 in each step  src/train.py:12 in load  ("));
  EXPECT_THAT(text, HasSubstr("# site = \"src/train.py:load\"\n"));
  EXPECT_THAT(text, Not(HasSubstr("step_time")));
}

TEST(Propose, ProposesTimesOfMeasuredRunsOnly) {
  EXPECT_THAT(proposed(run_of("- - -", {.measured = true})), HasSubstr("# step_time = { slower = \"5 %\" }"));
}

TEST(Propose, AcceptsInferredStepsAndSaysSo) {
  const RunSummary run = run_of("w w w w w w w w w w w w", {.marked = false});
  ASSERT_TRUE(is_inferred(run.steps_from));
  const std::string text = proposed(run);
  EXPECT_THAT(text, HasSubstr("steps = \"inferred\"\n"));
  EXPECT_THAT(text, HasSubstr("not marked but inferred ("));
  EXPECT_EQ(checked(text, run), Verdict::pass) << text;
}

TEST(Propose, SaysWhatMakesCountsDoubtful) {
  EXPECT_THAT(proposed(run_of("x - -")), HasSubstr("# unreal_values = \"cannot-tell\"\n"));
  EXPECT_THAT(proposed(run_of("! - -")), HasSubstr("# No verdict yet: step 0 called cudaFoo"));
  EXPECT_THAT(proposed(run_of("- -")), HasSubstr("# No verdict yet: 2 steps in the trace to judge"));
}

TEST(Propose, LimitsNothingWithoutSteps) {
  const std::string text = proposed(run_of("w", {.warmup = 2}), source_of(2));
  EXPECT_THAT(text, HasSubstr("without steps to judge"));
  EXPECT_TRUE(policy_of(text).budgets.empty());
  const std::string none = propose_policy({}, source_of());
  EXPECT_THAT(none, HasSubstr("made no CUDA call"));
  EXPECT_TRUE(policy_of(none).budgets.empty());
}

TEST(Propose, TakesTheMostOfAllProcesses) {
  const RunSummary a = run_of("w w w", {.rank = 0}), b = run_of("ww W w", {.rank = 1});
  const CheckedRun runs[] = {{"rank0", &a}, {"rank1", &b}};
  const std::string text = propose_policy(runs, source_of());
  EXPECT_THAT(text, HasSubstr("3 judged steps of each of 2 processes"));
  const Policy policy = policy_of(text);
  EXPECT_EQ(policy.budgets[0].limit.at_most, 2);
  EXPECT_EQ(check(policy, runs, nullptr, kToday).verdict, Verdict::pass);
}

TEST(Propose, WritesTheWholeRunDown) {
  ProposalSource source = source_of(1);
  source.run.gpus = 2;
  source.run.sim_values = "a \"b\".json";
  source.run.seed = 5;
  source.run.step_pattern = "^step \\d+$";
  source.run.command = {"sh", "-c", std::string(300, '.') + "\n\t\"'\\ \x7f ü", ""};
  const Policy policy = policy_of(proposed(run_of("- - - -", {.warmup = 1}), source));
  EXPECT_EQ(policy.run.command, source.run.command);
  EXPECT_EQ(policy.run.gpus, 2);
  EXPECT_EQ(policy.run.sim_values, source.run.sim_values);
  EXPECT_EQ(policy.run.seed, 5);
  EXPECT_EQ(policy.run.warmup, 1);
  EXPECT_EQ(policy.run.step_pattern, source.run.step_pattern);
}

TEST(Propose, WithoutACommandThatIsLeftToTheUser) {
  ProposalSource source = source_of();
  for (const std::vector<std::string>& command : {std::vector<std::string>{}, {"a", "\xff"}}) {
    source.run.command = command;
    const std::string text = proposed(run_of("- - -"), source);
    EXPECT_THAT(text, HasSubstr("[run]\n# command = ["));
    EXPECT_TRUE(policy_of(text).run.command.empty());
  }
}

// Regions are texts of the program under test.
TEST(Propose, HostileNamesOfRegionsAreWrittenAndReadBack) {
  const std::vector<std::string> names = {"a \"quoted\" one",
                                          "two\nlines",
                                          "back\\slash",
                                          "\x1b[31mred",
                                          "größe ∞ 🚀",
                                          "]\n[run]\ncommand = [\"rm\"]",
                                          "'''",
                                          "\"\"\"",
                                          "# no comment",
                                          "a.b",
                                          std::string(3000, '.'),
                                          "\x7f\x01",
                                          "\xe2\x80\xae reversed",
                                          " ",
                                          "waits"};
  TraceBuilder t;
  for (int n = 0; n < 4; ++n)
    t.step(n, [&] {
      for (const std::string& name : names) t.range(name, [&] { t.item(); });
      t.range("\xff not utf8", [&] { t.item(); });
    });
  const std::string bytes = t.bytes();
  const RunSummary run = analyze(std::move(*parse_native(std::as_bytes(std::span(bytes)), "t")), {"t", 0});
  ASSERT_EQ(run.regions.size(), names.size() + 1);
  const std::string text = proposed(run);
  const Policy policy = policy_of(text);
  std::vector<std::string> read;
  for (const Budget& budget : policy.budgets)
    if (budget.metric->key == "waits" && !budget.scope.region.empty()) read.push_back(budget.scope.region);
  EXPECT_EQ(read, names);
  EXPECT_THAT(text, HasSubstr("1 region without a budget"));
  EXPECT_EQ(policy.run.command, source_of().run.command);
  EXPECT_EQ(checked(text, run), Verdict::pass);
}

TEST(Propose, OfManyRegionsThoseThatWaitGetABudget) {
  TraceBuilder t;
  for (int n = 0; n < 4; ++n)
    t.step(n, [&] {
      for (int i = 0; i < 200; ++i)
        t.range("region " + std::to_string(i), [&] {
          t.launch();
          if (i == 150) t.item();
        });
    });
  const std::string bytes = t.bytes();
  const RunSummary run = analyze(std::move(*parse_native(std::as_bytes(std::span(bytes)), "t")), {"t", 0});
  const std::string text = proposed(run);
  EXPECT_THAT(text, HasSubstr("[budget.region.\"region 150\"]\nwaits = 1\n"));
  EXPECT_THAT(text, HasSubstr("170 regions without a budget"));
  EXPECT_EQ(policy_of(text).budgets.size(), 2u + 2 * 30);
}

TEST(TomlText, EscapesWhatTomlDoesNotAllow) {
  EXPECT_EQ(toml_text("a\"b\\c\n\x7f"), "\"a\\\"b\\\\c\\u000A\\u007F\"");
  EXPECT_EQ(toml_text("\xff"), "");
  EXPECT_EQ(toml_text(""), "\"\"");
  EXPECT_EQ(toml_comment("a\nb"), "# a\\nb\n");
}

}  // namespace
}  // namespace zerostall
