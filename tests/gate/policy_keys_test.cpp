// The list of keys, which parsing, suggestions and the help come from, and limits on the command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/gate/policy_file.h"

namespace zerostall {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string problem(const std::string& toml) {
  const auto policy = parse_policy(toml, "z.toml");
  return policy ? "no problem" : policy.error().message;
}

// From a key of the list to a policy that has it.
std::string with_key(const PolicyKey& key) {
  std::string path;
  std::string_view rest = key.key;
  const std::pair<std::string_view, std::string_view> kFilled[] = {
      {"NAME", "train"},
      {"SLUG", "scalar-read"},
      {"GLOB", "\"*\""},
      {"N", "0"},
      {"METRIC", key.type == "percentage" ? "step_time" : "waits"}};
  while (!rest.empty()) {
    std::string_view part = rest.substr(0, rest.find('.'));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    for (const auto& [name, value] : kFilled)
      if (part == name) part = value;
    path += (path.empty() ? "" : ".") + std::string(part);
  }
  const std::string line = path + " = " + std::string(key.example);
  if (path.starts_with("allow."))
    return "[[allow]]\n" + std::string(path == "allow.site" || path == "allow.region" ? "" : "site = \"x\"\n") +
           (path == "allow.reason" ? "" : "reason = \"x\"\n") + line.substr(6) + "\n";
  if (path.starts_with("rule."))
    return "[[rule]]\n" + std::string(path == "rule.waits" ? "" : "waits = 1\n") + line.substr(5) + "\n";
  if (path.ends_with(".level")) return line + "\nbudget.waits.max = 1\n";
  if (path.ends_with(".at_most")) return line + "\nbudget.waits.every = 9\n";
  if (path.ends_with(".every")) return line + "\nbudget.waits.at_most = 9\n";
  return line + "\n";
}

TEST(PolicyKeys, EachParses) {
  ASSERT_GT(policy_keys().size(), 40u);
  for (const PolicyKey& key : policy_keys()) EXPECT_EQ(problem(with_key(key)), "no problem") << with_key(key);
}

TEST(PolicyKeys, EachIsSaidInOneLine) {
  for (const PolicyKey& key : policy_keys()) {
    EXPECT_FALSE(key.meaning.empty());
    EXPECT_LT(key.meaning.size(), 100u) << key.key;
    EXPECT_EQ(key.meaning.find('\n'), std::string_view::npos);
  }
}

TEST(PolicyKeys, EveryMetricParses) {
  for (const Metric& metric : all_metrics())
    EXPECT_EQ(problem("[budget]\n" + std::string(metric.key) + (metric.is_time ? " = \"1 ms\"" : " = 1")),
              "no problem");
}

std::string max_of(const std::string& text) {
  const auto budget = parse_max(text);
  return budget ? describe(*budget) : budget.error().message;
}

TEST(ParseMax, ReadsLimits) {
  EXPECT_EQ(max_of("waits=0"), "waits: at most 0 in each step");
  EXPECT_EQ(max_of("train.h2d_stalls=4"), "h2d_stalls (region train): at most 4 in each step");
  EXPECT_EQ(max_of("waits.p95=1"), "waits: 95th percentile at most 1 per step");
  EXPECT_EQ(max_of("train.waits.total=9"), "waits (region train): at most 9 in all");
  EXPECT_EQ(max_of("blocked_time=2ms"), "blocked_time: median at most 2 ms per step");
  EXPECT_EQ(max_of("a.b c.waits=3"), "waits (region a.b c): at most 3 in each step");
  EXPECT_EQ(max_of("a=b.waits=3"), "waits (region a=b): at most 3 in each step");
  EXPECT_EQ(max_of("max.waits = 3"), "waits (region max): at most 3 in each step");
}

TEST(ParseMax, SaysWhatIsWrong) {
  EXPECT_EQ(max_of("wait=0"), "wait: unknown metric `wait`, did you mean `waits`?");
  EXPECT_EQ(max_of("train.wait=0"), "train.wait: unknown metric `wait`, did you mean `waits`?");
  EXPECT_EQ(max_of("waits.p99=0"), "waits.p99: unknown statistic `p99`, did you mean `p95`?");
  EXPECT_THAT(max_of("waits"), HasSubstr("is no limit: write METRIC=N"));
  EXPECT_THAT(max_of(""), HasSubstr("is no limit"));
  EXPECT_THAT(max_of("=0"), HasSubstr("is no limit"));
  EXPECT_THAT(max_of(" =0"), HasSubstr("names no metric"));
  EXPECT_THAT(max_of(".waits=0"), HasSubstr("is empty"));
  for (const char* bad : {"waits=", "waits=-1", "waits=1.5", "waits=x", "waits=99999999999999999999", "waits=1ms"})
    EXPECT_THAT(max_of(bad), HasSubstr("is no count for waits: write a whole number, waits=0"));
  for (const char* bad : {"blocked_time=2", "blocked_time=-2ms", "blocked_time=2 minutes", "blocked_time=nan ms"})
    EXPECT_THAT(max_of(bad), HasSubstr("is no time for blocked_time: write blocked_time=2ms"));
  EXPECT_THAT(max_of("train.step_time=2ms"), HasSubstr("of whole steps"));
  EXPECT_THAT(max_of("\x1b[31m\xff=0"), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace zerostall
