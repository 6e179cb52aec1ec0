// The policy as a TOML file, and limits on the command line.
#include "profiler/gate/policy_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "profiler/gate/policy_file_toml.h"
#include "tests/faults/fault_count.h"

namespace zerostall {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Policy good(const std::string& toml) {
  const auto policy = parse_policy(toml, "z.toml");
  EXPECT_TRUE(policy) << toml << "\n" << policy.error().message;
  return policy ? *policy : Policy{};
}

std::string problem(const std::string& toml) {
  const auto policy = parse_policy(toml, "z.toml");
  return policy ? "no problem" : policy.error().message;
}

std::vector<std::string> budgets_of(const std::string& toml) {
  std::vector<std::string> texts;
  for (const Budget& budget : good(toml).budgets)
    texts.push_back(std::string(name_of(budget.level)) + " " + describe(budget));
  return texts;
}

TEST(PolicyFile, ReadsTheExample) {
  const Policy policy = good(R"([run]
command = ["python", "train.py", "--steps", "20"]
device = "sim:h200"
warmup = 3
steps = "marks"               # or "inferred"
[budget.region.train]         # a bare number is the maximum over judged steps
waits = 0
[budget.region.load]
h2d_stalls = 4
[[allow]]
site = "trainer.py:log_metrics"        # or cause, kernel, NVTX path; globs
waits_per_step = 1
every = 50                             # once in 50 steps
reason = "loss shown to the user"
expires = 2027-06-30
)");
  EXPECT_EQ(policy.file, "z.toml");
  EXPECT_THAT(policy.run.command, ElementsAre("python", "train.py", "--steps", "20"));
  EXPECT_EQ(policy.run.device, "sim:h200");
  EXPECT_EQ(policy.run.warmup, 3);
  EXPECT_EQ(policy.run.steps, StepsWanted::marked);
  ASSERT_EQ(policy.budgets.size(), 2u);
  EXPECT_EQ(policy.budgets[0].scope.region, "train");
  EXPECT_EQ(policy.budgets[0].metric, find_metric("waits"));
  EXPECT_EQ(policy.budgets[0].limit.at_most, 0);
  EXPECT_EQ(policy.budgets[0].limit.of, Statistic::max);
  EXPECT_EQ(policy.budgets[0].line, 7u);
  EXPECT_EQ(policy.budgets[1].limit.at_most, 4);
  EXPECT_EQ(policy.budgets[1].line, 9u);
  ASSERT_EQ(policy.allow.size(), 1u);
  EXPECT_EQ(policy.allow[0].site, "trainer.py:log_metrics");
  EXPECT_EQ(policy.allow[0].every, 50);
  EXPECT_EQ(policy.allow[0].expires, Date(2027y / 6 / 30));
  EXPECT_EQ(policy.allow[0].line, 10u);
}

TEST(PolicyFile, AnEmptyOneIsTheDefaults) {
  const Policy policy = good("");
  EXPECT_TRUE(policy.run.command.empty());
  EXPECT_EQ(policy.run.device, "auto");
  EXPECT_EQ(policy.run.warmup, 2);
  EXPECT_EQ(policy.run.fewest_steps, 3);
  EXPECT_EQ(policy.cannot_tell, Level::error);
  EXPECT_FALSE(policy.unreal_is_cannot_tell);
  EXPECT_TRUE(policy.budgets.empty());
}

TEST(PolicyFile, ReadsAllOfTheRun) {
  const Policy policy = good(R"(version = 1
cannot_tell = "warn"
unreal_values = "cannot-tell"
improved = "violation"
baseline = "b.json"
least_effect = "100 us"
[run]
gpus = 2
sim_values = "v.json"
seed = 9
fewest_steps = 10
steps = "inferred"
step_pattern = "^update \\d+$"
)");
  EXPECT_EQ(policy.cannot_tell, Level::warn);
  EXPECT_TRUE(policy.unreal_is_cannot_tell);
  EXPECT_TRUE(policy.improved_is_violation);
  EXPECT_EQ(policy.baseline, "b.json");
  EXPECT_EQ(policy.least_effect_ns, 100'000);
  EXPECT_EQ(policy.run.gpus, 2);
  EXPECT_EQ(policy.run.sim_values, "v.json");
  EXPECT_EQ(policy.run.seed, 9);
  EXPECT_EQ(policy.run.fewest_steps, 10);
  EXPECT_EQ(policy.run.steps, StepsWanted::inferred);
  EXPECT_EQ(policy.run.step_pattern, "^update \\d+$");
}

TEST(PolicyFile, BudgetsStandInTheOrderOfTheFile) {
  EXPECT_THAT(budgets_of(R"([budget.site."t.py:*"]
waits = 1
[budget]
stream_syncs = { max = 3, median = 2, p95 = 2, total = 40, at_most = 1, every = 50, level = "warn" }
step_time = "2 ms"
blocked_time = { slower = "5 %", median = "150us" }
[budget.cause.scalar-read]
waits = { max = 0, level = "off" }
[budget.device."*H200*"]
drains = 0
[budget.rank.3]
waits = 7
[budget.background]
waits = 8
[budget.outside]
waits = { total = 9 }
[[rule]]
region = "train"
cause = "finite-check"
rank = 0
level = "warn"
waits = 5
h2d_stalls = { total = 6, level = "error" }
)"),
              ElementsAre("error waits (at t.py:*): at most 1 in each step",         //
                          "warn stream_syncs: at most 3 in each step",               //
                          "warn stream_syncs: median at most 2 per step",            //
                          "warn stream_syncs: 95th percentile at most 2 per step",   //
                          "warn stream_syncs: at most 40 in all",                    //
                          "warn stream_syncs: at most 1 in every 50 steps",          //
                          "error step_time: median at most 2 ms per step",           //
                          "error blocked_time: at most 5 % more than before",        //
                          "error blocked_time: median at most 0.15 ms per step",     //
                          "off waits (cause scalar-read): at most 0 in each step",   //
                          "error drains (device *H200*): at most 0 in each step",    //
                          "error waits (rank 3): at most 7 in each step",            //
                          "error waits (on other threads): at most 8 in each step",  //
                          "error waits (outside of steps): at most 9 in all",        //
                          "warn waits (region train, cause finite-check, rank 0): at most 5 in each step",
                          "error h2d_stalls (region train, cause finite-check, rank 0): at most 6 in all"));
}

TEST(PolicyFile, NamesMayHoldAnything) {
  const Policy policy = good("[budget.region.\"a.b \\\"c\\\" \\n ü\"]\nwaits = 0\n[budget.region.max]\nwaits = 1\n");
  EXPECT_EQ(policy.budgets[0].scope.region, "a.b \"c\" \n ü");
  EXPECT_EQ(policy.budgets[1].scope.region, "max");
}

TEST(PolicyFile, OneMayWarnOfWhatAnotherForbids) {
  EXPECT_EQ(good("[budget]\nwaits = 5\n[[rule]]\nwaits = 0\nlevel = \"warn\"").budgets.size(), 2u);
}

TEST(PolicyFile, DatesMayBeTexts) {
  EXPECT_EQ(good("[[allow]]\nsite = \"a\"\nreason = \"b\"\nexpires = \"2028-02-29\"").allow[0].expires,
            Date(2028y / 2 / 29));
}

struct Bad {
  std::string toml, line_and_column, what;
};

void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.toml; }

class BadPolicy : public ::testing::TestWithParam<Bad> {};

TEST_P(BadPolicy, IsToldInOneLineWithItsPlace) {
  const std::string text = problem(GetParam().toml);
  EXPECT_EQ(text.substr(0, text.find(": ")), "z.toml:" + GetParam().line_and_column) << text;
  EXPECT_THAT(text, HasSubstr(GetParam().what));
  EXPECT_THAT(text, Not(HasSubstr("\n")));
}

const std::string kAllow = "[[allow]]\nsite = \"a\"\nreason = \"b\"\n";

INSTANTIATE_TEST_SUITE_P(
    Keys, BadPolicy,
    ::testing::Values(Bad{"[budget]\n  wait = 0", "2:3", "unknown key `wait`, did you mean `waits`?"},
                      Bad{"budgets = 1", "1:1", "unknown key `budgets`, did you mean `budget`?"},
                      Bad{"[run]\nwarmups = 1", "2:1", "did you mean `warmup`?"},
                      Bad{"[run]\ncannot_tell = \"warn\"", "2:1",
                          "`cannot_tell` here: it belongs at the top of the file"},
                      Bad{"warmup = 3", "1:1", "unknown key `warmup` here: it belongs in [run]"},
                      Bad{"waits = 3", "1:1", "it belongs in [[rule]]"},
                      Bad{"[budget.region.train]\nwait = 0", "2:1", "`waits`"},
                      Bad{"[budget]\nwaits = { maxx = 0 }", "2:11", "unknown key `maxx`, did you mean `max`?"},
                      Bad{"[[rule]]\nregoin = \"a\"\nwaits = 0", "2:1", "did you mean `region`?"},
                      Bad{kAllow + "until = 2027-01-01", "4:1", "unknown key `until`; known: site, cause"},
                      Bad{"zzzzzzzz = 1", "1:1", "known: run, budget, rule, allow, version"}));

INSTANTIATE_TEST_SUITE_P(
    Run, BadPolicy,
    ::testing::Values(
        Bad{"[run]\ncommand = \"python train.py\"", "2:11", R"(must be a list of them: ["python", "train.py"])"},
        Bad{"[run]\ncommand = \"a | b\"", "2:11", R"(["sh", "-c", "..."])"},
        Bad{"[run]\ncommand = []", "2:11", "an empty list"}, Bad{"[run]\ncommand = 3", "2:11", "a whole number"},
        Bad{"[run]\ncommand = [\"a\", 3]", "2:17", "put it in quotes"},
        Bad{"[run]\ncommand = [\"a\", \"\\u0000\"]", "2:17", "NUL"}, Bad{"[run]\ncommand = [\"\"]", "2:12", "is empty"},
        Bad{"[run]\ndevice = \"gpus\"", "2:10", "unknown device `gpus`, did you mean `gpu`?"},
        Bad{"[run]\ndevice = \"gpu\"\nseed = 1", "3:1", "for the simulated GPU"},
        Bad{"[run]\ngpus = 0", "2:8", "`gpus` is 0, and must be 1 or more"},
        Bad{"[run]\ngpus = 65", "2:8", "at most 64"}, Bad{"[run]\nwarmup = -1", "2:10", "0 or more"},
        Bad{"[run]\nwarmup = 2.0", "2:10", "is a number with a fraction, and must be a whole number"},
        Bad{"[run]\nfewest_steps = 2", "2:16", "3 or more"},
        Bad{"[run]\nsteps = \"mark\"", "2:9", "did you mean `marks`?"},
        Bad{"[run]\nstep_pattern = \"(\"", "2:16", "no regular expression"},
        Bad{"[run]\nsim_values = \" \"", "2:14", "is empty"}, Bad{"run = 3", "1:7", "must be a table"},
        Bad{"version = 2", "1:11", "reads version 1"}, Bad{"cannot_tell = \"off\"", "1:15", "known: error, warn"},
        Bad{"cannot_tell = true", "1:15", "is true or false"}, Bad{"baseline = \"\"", "1:12", "is empty"},
        Bad{"least_effect = 100", "1:16", "a time with its unit in quotes"},
        Bad{"least_effect = \"-1 ms\"", "1:16", "a time with its unit"}));

INSTANTIATE_TEST_SUITE_P(
    Budgets, BadPolicy,
    ::testing::Values(
        Bad{"[budget]\nwaits = -1", "2:9", "`waits` is -1, and must be 0 or more"},
        Bad{"[budget]\nwaits = 1.5", "2:9", "a whole number"}, Bad{"[budget]\nwaits = \"0\"", "2:9", "is a text"},
        Bad{"[budget]\nwaits = true", "2:9", "a whole number"}, Bad{"[budget]\nwaits = []", "2:9", "is a list"},
        Bad{"[budget]\nwaits = {}", "2:9", "has no limit"},
        Bad{"[budget]\nwaits = { level = \"warn\" }", "2:9", "has no limit"},
        Bad{"[budget]\nwaits = { max = 0, level = \"warning\" }", "2:28", "known: error, warn, off"},
        Bad{"[budget]\nwaits = { at_most = 1 }", "2:11", "belong together"},
        Bad{"[budget]\nwaits = { every = 9 }", "2:11", "belong together"},
        Bad{"[budget]\nwaits = { at_most = 1, every = 0 }", "2:32", "1 or more"},
        Bad{"[budget]\nwaits = { slower = \"5 %\" }", "2:11", "slower is for times"},
        Bad{"[budget]\nstep_time = 3", "2:13", "a time with its unit in quotes"},
        Bad{"[budget]\nstep_time = \"3\"", "2:13", "a time with its unit"},
        Bad{"[budget]\nstep_time = { slower = \"5\" }", "2:24", "a percentage"},
        Bad{"[budget]\nstep_time = { slower = 0.05 }", "2:24", "a percentage"},
        Bad{"[budget]\nstep_time = { at_most = \"1 ms\", every = 3 }", "2:15", "for counts"},
        Bad{"[budget.region.train]\nstep_time = \"1 s\"", "2:1", "of whole steps"},
        Bad{"[budget.site.\"*\"]\navoidable_idle_time = \"1 s\"", "2:1", "of whole steps"},
        Bad{"[budget.site.\"*\"]\nspins = 0", "2:1", "spins are no host waits"},
        Bad{"[budget.cause.scalar-read]\nqueue_full = 0", "2:1", "neither site nor cause"},
        Bad{"[budget.cause.scalar-red]\nwaits = 0", "1:15", "unknown cause `scalar-red`, did you mean `scalar-read`?"},
        Bad{"[budget.rank.one]\nwaits = 0", "1:14", "is no rank"},
        Bad{"[budget.rank.-1]\nwaits = 0", "1:14", "no rank"},
        Bad{"[budget.region.\"\"]\nwaits = 0", "1:16", "is empty"},
        Bad{"[budget.region]\nwaits = 0", "2:1", "[budget.region.NAME]"},
        Bad{"[budget]\nregion = 3", "2:10", "must be a table"},
        Bad{"[budget.outside]\nwaits = 4", "2:1", "write waits = { total = 4 }"},
        Bad{"[budget.outside]\nwaits = { total = 4, p95 = 2 }", "2:22", "only the sum"},
        Bad{"[[rule]]\npart = \"background\"\nsite = \"a\"\nwaits = 0", "4:1", "not by region, cause or site"},
        Bad{"[[rule]]\nregion = \"a\"", "1:1", "limits nothing"},
        Bad{"[[rule]]\nrank = -1\nwaits = 0", "2:8", "0 or more"}, Bad{"rule = 3", "1:8", "[[rule]]"},
        Bad{"[[rule]]\npart = \"step\"\nwaits = 0", "2:8", "did you mean `steps`?"},
        Bad{"[budget]\nwaits = 0\n[[rule]]\nwaits = 1", "4:1",
            "the same limit (waits: at most 1 in each step) stands in line 2"},
        Bad{"[budget]\nwaits = 0\nwaits = 1", "3:9", "not valid TOML: in a "},
        Bad{"[run]\ndevice = \"sim\"\n[budget]\nstep_time = \"2 ms\"", "4:1", "needs measured times"},
        Bad{"[budget]\nblocked_time = { slower = \"5 %\" }\n[run]\ndevice = \"sim:h200\"", "2:18", "models them"},
        Bad{"[budget]\na = 1\nb = 2\nc = 3", "2:1", "(and 2 more problems)"}));

INSTANTIATE_TEST_SUITE_P(Allow, BadPolicy,
                         ::testing::Values(Bad{"[[allow]]\nsite = \"a\"", "1:1", "has no reason"},
                                           Bad{"[[allow]]\nsite = \"a\"\nreason = \"  \"", "3:10", "`reason` is empty"},
                                           Bad{"[[allow]]\nreason = \"a\"", "1:1", "add site, cause, kernel or region"},
                                           Bad{"[[allow]]\nreason = \"a\"\ncause = \"sync\"", "3:9",
                                               "unknown cause `sync`"},
                                           Bad{kAllow + "waits_per_step = 0", "4:18", "1 or more"},
                                           Bad{kAllow + "every = 0", "4:9", "1 or more"},
                                           Bad{kAllow + "expires = \"2027-02-30\"", "4:11", "must be a date"},
                                           Bad{kAllow + "expires = \"soon\"", "4:11", "must be a date"},
                                           Bad{kAllow + "expires = 2027-02-30", "4:21", "not valid TOML: in a "},
                                           Bad{kAllow + "expires = 12:00:00", "4:11", "a time of day"},
                                           Bad{"allow = [1]", "1:9", "[[allow]]"},
                                           Bad{kAllow + "site = \"b\"", "4:8", "not valid TOML: in a "}));

// What no editor writes.
TEST(PolicyFile, HostileTextsAreRefusedInOneLine) {
  std::string garbage(1 << 20, 'x');
  for (std::size_t i = 0; i < garbage.size(); ++i) garbage[i] = static_cast<char>(1 + (i * 7919) % 126);
  std::string keys;
  for (int i = 0; i < 20'000; ++i) keys += "key" + std::to_string(i) + " = 1\n";
  const std::string texts[] = {
      garbage,
      keys,
      std::string("[run]\0", 6),
      "a = \"\xff\"",
      "a = \"\xed\xa0\x80\"",
      "\xff\xfe",
      "[~",
      "[[~b.c",
      "a = {~ = 1}",
      "a.~ = 1",
      "[",
      "[[",
      "a =",
      "a = {",
      "waits = 0\xc3\xbc\" median\t",
      "a = " + std::string(100'000, '['),
      "a = " + std::string(100'000, '{'),
      std::string(500'000, '[') + "a",
      "[" + std::string(100'000, '.') + "a]",
      "a" +
          [] {
            std::string dots;
            for (int i = 0; i < 100'000; ++i) dots += ".a";
            return dots;
          }() +
          " = 1",
      "a = \"\"\"" + std::string(1 << 20, '"'),
      "\"\x1b[31m\n\" = 1",
      "\"\\u001b[31m\\n\" = 1",
      "\"" + std::string(100'000, 'k') + "\" = 1",
      std::string(kMostPolicyBytes + 1, '#'),
  };
  testing::FaultCount faults("text_hostile");
  for (const std::string& text : texts) {
    faults.next();
    const auto policy = parse_policy(text, "z.toml");
    ASSERT_FALSE(policy) << text.substr(0, 40);
    EXPECT_TRUE(std::regex_search(policy.error().message.substr(0, 30), std::regex(R"(^z\.toml:\d+:\d+: \S)")))
        << policy.error().message;
    EXPECT_LT(policy.error().message.size(), 1000u);
    for (const char c : policy.error().message)
      EXPECT_GE(static_cast<unsigned char>(c), 0x20) << policy.error().message;
  }
}

TEST(PolicyFile, AByteOrderMarkAndWindowsLinesAreFine) {
  EXPECT_EQ(good("\xef\xbb\xbf[budget]\r\nwaits = 0\r\n").budgets.size(), 1u);
}

}  // namespace
}  // namespace zerostall
