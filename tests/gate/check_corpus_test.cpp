// Public traces, held to `waits = 0` without warm-up: what the verdict has to be follows from the right answers that a
// program of its own counted.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "profiler/gate/check.h"
#include "profiler/gate/policy_file.h"
#include "profiler/trace/read_trace.h"
#include "tests/trace/import/expected.h"

namespace zerostall {
namespace {

// The answers have null for what a file does not tell.
nlohmann::json part(const nlohmann::json& of, const char* key) {
  const nlohmann::json found = of.value(key, nlohmann::json());
  return found.is_null() ? nlohmann::json::object() : found;
}

// A sync, or a copy that blocks, in any of the marked steps.
bool has_wait(const nlohmann::json& answers) {
  for (const auto& step : part(answers, "steps")) {
    std::int64_t syncs = 0;
    for (const auto& count : part(step, "sync_calls")) syncs += count.get<std::int64_t>();
    for (const auto& count : part(step, "sync_calls_nested")) syncs -= count.get<std::int64_t>();
    if (syncs > 0 || !part(step, "blocking_copies").empty()) return true;
  }
  return false;
}

bool has_cuda(const nlohmann::json& answers) { return !part(answers, "calls_by_name").empty(); }

Verdict expected(const nlohmann::json& answers) {
  if (!has_cuda(answers) || part(answers, "steps").size() < 3) return Verdict::cannot_tell;
  return has_wait(answers) ? Verdict::violation : Verdict::pass;
}

TEST(CheckCorpus, JudgesEachPublicTraceAsItsAnswersSay) {
  if (!testing::corpus_folder()) GTEST_SKIP() << "no folder of public traces (ZEROSTALL_TRACES)";
  const auto policy = parse_policy("[budget]\nwaits = 0\n[run]\nwarmup = 0", "zerostall.toml");
  ASSERT_TRUE(policy);
  std::map<Verdict, int> seen;
  for (const auto& [file, answers] : testing::corpus_files("")) {
    auto raws = read_trace(*testing::corpus_folder() / file);
    if (!raws) {  // refused: code 2 at the command line
      EXPECT_TRUE(answers.contains("parse_error")) << file << ": " << raws.error().message;
      continue;
    }
    std::vector<RunSummary> summaries;
    for (RawTrace& raw : *raws) summaries.push_back(analyze(std::move(raw), {file, 0}));
    std::vector<CheckedRun> runs;
    for (std::size_t i = 0; i < summaries.size(); ++i) runs.push_back({std::to_string(i), &summaries[i]});
    const CheckReport report = check(*policy, runs, nullptr, Date{});
    EXPECT_EQ(name_of(report.verdict), name_of(expected(answers)))
        << file << ": " << (report.reasons.empty() ? "" : report.reasons.front().text);
    ++seen[report.verdict];
  }
  std::printf("%d pass, %d violations, %d cannot tell\n", seen[Verdict::pass], seen[Verdict::violation],
              seen[Verdict::cannot_tell]);
  EXPECT_GE(seen[Verdict::violation], 8);
  EXPECT_GE(seen[Verdict::pass], 1);
}

}  // namespace
}  // namespace zerostall
