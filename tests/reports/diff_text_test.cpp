#include "reports/diff_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/diff_json.h"
#include "reports/table.h"
#include "tests/gate/verify_runs.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::ordered_json;

RunSummary run_with(StepShape shape, const char* meta = nullptr, int steps = 12) {
  return make_run(
             {}, [=](int) { return shape; }, steps,
             [&](TraceBuilder& t) {
               if (meta) t.meta = meta;
             })
      .summary;
}

constexpr const char* kMeasured = R"({"tool": "test", "clock": "measured", "device": {"name": "NVIDIA H200"}})";

std::string text_of(const RunSummary& a, const RunSummary& b) {
  return render_diff_text(std::span(&a, 1), std::span(&b, 1), compare_runs(std::span(&a, 1), std::span(&b, 1)));
}

TEST(DiffText, ShowsWhatAFixRemoved) {
  const std::string text = text_of(run_with({}), run_with({.bn = 0, .loss = 0}));
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("gone    2 → 0  cudaMemcpyAsync 512 B host to device + cudaStreamSynchronize"),
            HasSubstr("gone    1 → 0  cudaMemcpyAsync 4 B device to host + cudaStreamSynchronize · scalar-read\n"),
            HasSubstr("same    1 kind"), HasSubstr("COUNTS DIFFER  waits/step 13 → 10 (2 kinds gone)"),
            HasSubstr("times come from a model"), HasSubstr("diff never fails")));
  EXPECT_THAT(text, Not(HasSubstr("NaN")));
}

TEST(DiffText, FitsOneScreen) {
  const std::string text = text_of(run_with({}), run_with({.bn = 0, .loss = 3, .outside = 1}));
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 40);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    EXPECT_LE(display_width(text.substr(at, end - at)), 130u) << text.substr(at, end - at);
    at = end + 1;
  }
}

TEST(DiffText, SimulatedAgainstMeasuredSaysThatCountsAreEqual) {
  const std::string text = text_of(run_with({}), run_with({}, kMeasured));
  EXPECT_THAT(text, HasSubstr("COUNTS EQUAL  13 waits/step, same waits; times not compared (simulated against "
                              "measured)\n"));
  EXPECT_THAT(text, Not(HasSubstr("GPU ran dry")));  // of the simulated one it is modelled
  EXPECT_THAT(text, Not(HasSubstr(" ms")));
}

TEST(DiffText, NamesWhatKeepsRunsFromBeingComparable) {
  const std::string text = text_of(run_with({}, kMeasured),
                                   run_with({}, R"({"tool": "test", "clock": "measured", "device": {"name": "L4"}})"));
  EXPECT_THAT(text, AllOf(HasSubstr("not comparable as they are: device: NVIDIA H200 → L4\n"),
                          HasSubstr("times not compared (different devices)")));
}

RunSummary measured_with_pause(std::int64_t pause) {
  TraceBuilder t;
  t.meta = kMeasured;
  for (int n = 0; n < 14; ++n)
    t.step(n, [&] {
      t.launch();
      t.item();
      t.now_ns += pause + (n * 37) % 11;
    });
  const std::string file = t.bytes();
  return analyze(std::move(*parse_native(std::as_bytes(std::span(file)), "t")), {"t", 2});
}

TEST(DiffText, ClaimsAGainOnlyWhereItIsSignificantAndSaysWhatItIsOf) {
  const RunSummary slow = measured_with_pause(90'000), fast = measured_with_pause(1000);
  const std::string gain = text_of(slow, fast);
  EXPECT_THAT(gain,
              AllOf(HasSubstr("COUNTS EQUAL  1 waits/step, same waits; step time 8"), HasSubstr("% shorter, p < "),
                    HasSubstr("note: of these two runs; how much runs vary is not in it")));
  const std::string none = text_of(fast, fast);
  EXPECT_THAT(none, AllOf(HasSubstr("no significant difference in step time\n"), Not(HasSubstr("shorter")),
                          Not(HasSubstr("longer"))));
  const std::vector<RunSummary> a = {slow, slow}, b = {fast, fast};
  EXPECT_THAT(render_diff_text(a, b, compare_runs(a, b)), Not(HasSubstr("of these two runs")));
}

TEST(DiffText, EscapesWhatTheProgramNamed) {
  RunSummary run = run_with({});
  run.path = "bad\x1b[31mname";
  EXPECT_THAT(text_of(run, run), AllOf(HasSubstr("bad\\x1b[31mname"), Not(HasSubstr("\x1b"))));
}

TEST(DiffJson, HasTheKeysOfTheSchemaInOrder) {
  const RunSummary a = run_with({}), b = run_with({.bn = 0});
  const auto side_a = std::span(&a, 1), side_b = std::span(&b, 1);
  const std::string text = render_diff_json(side_a, side_b, compare_runs(side_a, side_b));
  EXPECT_EQ(text, render_diff_json(side_a, side_b, compare_runs(side_a, side_b)));
  const Json json = Json::parse(text);
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"schema", "a", "b", "comparable", "reasons", "notes", "counts", "times",
                                            "matched_by", "sites", "copies"}));
  EXPECT_EQ(json["schema"], "zerostall/diff/1");
  EXPECT_EQ(json["comparable"], true);
  EXPECT_EQ(json["counts"]["verdict"], "differ");
  EXPECT_EQ(json["counts"]["counters"]["waits"]["a"]["median"], 13);
  EXPECT_EQ(json["counts"]["counters"]["waits"]["b"]["sum"], 110);
  EXPECT_EQ(json["sites"]["gone"][0]["what"], "cudaMemcpyAsync 512 B host to device + cudaStreamSynchronize");
  EXPECT_TRUE(json["sites"]["gone"][0]["site"].is_null());
  EXPECT_EQ(json["times"]["modelled"], true);
  EXPECT_GT(json["times"]["step_ns"]["a"]["median"], 0);
}

}  // namespace
}  // namespace zerostall
