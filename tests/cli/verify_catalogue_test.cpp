// `verify --catalogue` on the simulated GPU: a few classes that are told in different ways. All of them: `full`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "profiler/analyze/causes.h"
#include "scenarios/catalogue/expected.h"
#include "tests/cli/installation.h"
#include "tests/cli/json_output.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using nlohmann::json;
using ::testing::HasSubstr;

ChildResult verify(std::vector<std::string> more) {
  more.insert(more.begin(), {"verify", "--catalogue", "--device", "sim"});
  return run_program(ZEROSTALL_PROGRAM, std::move(more));
}

TEST(VerifyCatalogue, NamesTheClassesOfTheAnalysis) {
  const auto entries = scenarios::catalogue::entries();
  ASSERT_EQ(entries.size() + 1, kCauseKinds);  // and unknown
  std::set<std::string_view> slugs;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(entries[i].slug, info_of(static_cast<CauseKind>(i)).slug);
    slugs.insert(entries[i].slug);
  }
  for (const auto& entry : entries) {
    const auto& [cause, fixed, near_miss] = entry.variants;
    EXPECT_EQ(cause.cause, entry.slug);
    EXPECT_GT(cause.waits + cause.memory_calls, 0) << entry.slug;
    EXPECT_EQ(fixed.waits + fixed.memory_calls, 0) << entry.slug;
    EXPECT_NE(near_miss.cause, entry.slug);
    EXPECT_EQ(near_miss.cause.empty(), near_miss.waits == 0) << entry.slug;
    EXPECT_FALSE(near_miss.why.empty()) << entry.slug;
    EXPECT_TRUE(near_miss.cause.empty() || slugs.contains(near_miss.cause)) << entry.slug;
  }
}

TEST(VerifyCatalogue, RefusesWhatItCannotDo) {
  const ChildResult unknown = verify({"scalar-reed"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("scalar-read"));
  EXPECT_EQ(verify({"--steps", "4"}).exit_code, 2);
  EXPECT_EQ(verify({"--size", "tiny"}).exit_code, 2);
  EXPECT_EQ(run_program(ZEROSTALL_PROGRAM, {"verify", "flux2", "scalar-read"}).exit_code, 2);
}

TEST(VerifyCatalogue, ProvesAFewClasses) {
  const ChildResult result = verify({"scalar-read", "allocator", "host-table-by-device-index"});
  EXPECT_EQ(result.exit_code, 0) << result.err << result.out;
  EXPECT_THAT(result.out, HasSubstr("PASS  3 classes, 9 runs, 45 judged steps"));
  EXPECT_THAT(result.out, HasSubstr("host-table-by-device-index (high)"));
}

TEST(VerifyCatalogue, ProvesAllClasses) {
  const json report = json_written({"verify", "--catalogue", "--device", "sim"});
  EXPECT_EQ(report["verdict"], "pass");
  EXPECT_EQ(report["runs"].size(), 48u);
  for (const json& run : report["runs"])
    EXPECT_EQ(run["variant"] == "cause", !run["causes"].empty() && run["causes"][0]["cause"] == run["class"]);
}

}  // namespace
}  // namespace zerostall
