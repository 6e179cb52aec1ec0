// Every figure of the public traces' right answers, for the files in JSON.
#include <gtest/gtest.h>

#include "profiler/trace/build_trace.h"
#include "profiler/trace/read_trace.h"
#include "tests/trace/import/expected.h"

namespace zerostall::testing {
namespace {

using nlohmann::json;

std::vector<Trace> build_all(std::vector<RawTrace> raw) {
  std::vector<Trace> traces;
  for (RawTrace& r : raw) traces.push_back(build_trace(std::move(r)));
  return traces;
}

// What the importer itself counted.
void check_contents(const RawTrace& raw, const json& answers, const std::string& name) {
  if (answers.contains("cats"))
    for (const auto& [category, count] : answers["cats"].items()) {
      const auto found = raw.contents.find(category == "None" ? "no category" : category);
      EXPECT_EQ(found == raw.contents.end() ? 0 : found->second, count.get<std::int64_t>()) << name << " " << category;
    }
  for (const auto& [kind, count] : answers["cuda_sync_records"].items()) {
    const auto found = raw.contents.find("cuda_sync: " + kind);
    EXPECT_EQ(found == raw.contents.end() ? 0 : found->second, count.get<std::int64_t>()) << name << " " << kind;
  }
  const auto fractional = raw.contents.find("fractional times");
  const std::int64_t found = fractional == raw.contents.end() ? 0 : fractional->second;
  if (has_rounded_times(answers))
    EXPECT_GE(found, answers["oddities"].value("fractional_ts", 0)) << name;
  else
    EXPECT_EQ(found, answers["oddities"].value("fractional_ts", 0)) << name;
  EXPECT_TRUE(raw.oddities.empty()) << name << ": " << json(raw.oddities);
  const json job = answers.value("distributed", json::object());
  const json rank = job.value("rank", json(nullptr));
  EXPECT_EQ(raw.meta.rank ? json(*raw.meta.rank) : json(nullptr), rank) << name;
}

TEST(KinetoCorpus, EveryFigureIsRight) {
  const auto folder = corpus_folder();
  if (!folder) GTEST_SKIP() << "skipped: no corpus (set ZEROSTALL_TRACES to the folder of traces)";
  int files = 0;
  for (const auto& [name, answers] : corpus_files(".json.gz")) {
    for (const unsigned threads : {1u, 2u}) {
      auto raw = read_trace(*folder / name, {.threads = threads});
      ++files;
      if (answers.contains("parse_error")) {
        ASSERT_FALSE(raw) << name;
        EXPECT_NE(raw.error().message.find("execution trace"), std::string::npos) << raw.error().message;
        continue;
      }
      ASSERT_TRUE(raw) << name << ": " << raw.error().message;
      EXPECT_FALSE(raw->front().truncated) << name;
      check_contents(raw->front(), answers, name);
      const json expected = comparable(answers);
      json found = figures_of(build_all(std::move(*raw)), answers);
      if (has_rounded_times(answers)) forgive_rounding(expected, found);
      for (const auto& [key, value] : expected.items())
        EXPECT_EQ(found[key].dump(1), value.dump(1)) << name << " " << key;
    }
  }
  EXPECT_EQ(files, 2 * 26);
}

}  // namespace
}  // namespace zerostall::testing
