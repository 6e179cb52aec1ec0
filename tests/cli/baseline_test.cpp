// `zerostall baseline`, and baselines given to `check`, as a user would call them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "profiler/base/files.h"
#include "tests/cli/program.h"
#include "tests/trace/trace_builder.h"

namespace zerostall {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::run_program;
using testing::TraceBuilder;

class BaselineCommand : public ::testing::Test {
 protected:
  ChildResult shell(const std::string& arguments) {
    return run_program("/bin/sh", {"-c", "cd \"$here\" && exec \"$zerostall\" " + arguments},
                       {{"here", here().string()}, {"zerostall", ZEROSTALL_PROGRAM}});
  }
  fs::path here() const { return folder_->path(); }
  std::string text_of(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(here() / name).rdbuf();
    return text.str();
  }

  // A run whose steps upload, compute, and read back `items` values; every tenth step one more in region log.
  void trace(const std::string& name, int items, int steps = 20, const std::string& more_meta = "", bool whole = true) {
    TraceBuilder t;
    t.meta = R"({"tool": "test", "clock": "modelled", "simulated_model": "h200")" + more_meta + "}";
    t.closed = whole;
    for (int n = 0; n < steps; ++n)
      t.step(n, [&] {
        t.range("load", [&] { t.upload(4096); });
        t.range("train", [&] {
          for (int i = 0; i < 20; ++i) t.launch();
          for (int i = 0; i < items; ++i) t.item();
        });
        if (n % 10 == 0) t.range("log", [&] { t.item(8); });
      });
    t.write(here() / name);
  }

  const Result<TempFolder> folder_ = TempFolder::make();
};

TEST_F(BaselineCommand, IsWrittenAndHolds) {
  trace("a.zstall", 1);
  const ChildResult first = shell("baseline update a.zstall");
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("wrote zerostall.baseline.json: simulated H200 · 18 steps judged, first 2 not · "));
  const std::string written = text_of("zerostall.baseline.json");
  EXPECT_THAT(written, AllOf(HasSubstr("\"schema\": \"zerostall/baseline/1\""), HasSubstr("\"place\": \"in log\"")));

  trace("b.zstall", 1, 57);  // of another length
  const ChildResult again = shell("baseline update b.zstall");
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("zerostall.baseline.json holds, and stays as it is"));
  EXPECT_EQ(text_of("zerostall.baseline.json"), written);

  const ChildResult passed = shell("check b.zstall --baseline zerostall.baseline.json");
  EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.err;
}

TEST_F(BaselineCommand, IsARatchet) {
  trace("two.zstall", 2), trace("one.zstall", 1);
  ASSERT_EQ(shell("baseline update two.zstall -o b.json").exit_code, 0);
  const ChildResult better = shell("baseline update one.zstall -o b.json");
  EXPECT_EQ(better.exit_code, 0) << better.err;
  EXPECT_THAT(better.out, AllOf(HasSubstr("in train ("), HasSubstr("better"), HasSubstr("wrote b.json")));

  const std::string tight = text_of("b.json");
  const ChildResult worse = shell("baseline update two.zstall -o b.json");
  EXPECT_EQ(worse.exit_code, 1);
  EXPECT_THAT(worse.out, HasSubstr("worse"));
  EXPECT_THAT(worse.err, HasSubstr("b.json stays as it is: remove the waits, or accept them with --accept-more"));
  EXPECT_EQ(text_of("b.json"), tight);

  EXPECT_EQ(shell("baseline update two.zstall -o b.json --accept-more").exit_code, 0);
  EXPECT_NE(text_of("b.json"), tight);
}

TEST_F(BaselineCommand, FailsACheckThatHasMore) {
  trace("one.zstall", 1), trace("two.zstall", 2);
  ASSERT_EQ(shell("baseline update one.zstall").exit_code, 0);
  const ChildResult violation = shell("check two.zstall --baseline zerostall.baseline.json");
  EXPECT_EQ(violation.exit_code, 1) << violation.out << violation.err;
  EXPECT_THAT(violation.out, HasSubstr("2 waits per step, 1 in the baseline: in train"));
  const ChildResult with_trace = shell("check two.zstall --baseline one.zstall");
  EXPECT_EQ(with_trace.exit_code, 1) << with_trace.out << with_trace.err;
  EXPECT_EQ(shell("check one.zstall --baseline two.zstall").exit_code, 0);
  EXPECT_EQ(shell("check one.zstall --baseline two.zstall --fail-on improved").exit_code, 1);
}

TEST_F(BaselineCommand, RefusesRunsThatAreNoMeasure) {
  trace("cut.zstall", 1, 20, "", false), trace("short.zstall", 1, 4);
  TraceBuilder unmarked;
  unmarked.item();
  unmarked.write(here() / "unmarked.zstall");
  for (const auto& [name, why] : {std::pair("cut", "the trace is cut off"), std::pair("short", "2 steps in the trace"),
                                  std::pair("unmarked", "no step is marked")}) {
    const ChildResult result = shell(fmt::format("baseline update {}.zstall", name));
    EXPECT_EQ(result.exit_code, 3) << name << result.out;
    EXPECT_THAT(result.err, AllOf(HasSubstr("no baseline can be made of this run: "), HasSubstr(why)));
    EXPECT_EQ(result.out, "");
  }
  EXPECT_FALSE(fs::exists(here() / "zerostall.baseline.json"));
}

TEST_F(BaselineCommand, OfAnotherDeviceIsNotReplacedByAccident) {
  trace("h200.zstall", 1), trace("other.zstall", 1, 20, R"(, "device": {"name": "simulated A100"})");
  ASSERT_EQ(shell("baseline update h200.zstall").exit_code, 0);
  const std::string written = text_of("zerostall.baseline.json");
  const ChildResult other = shell("baseline update other.zstall");
  EXPECT_EQ(other.exit_code, 3);
  EXPECT_THAT(other.err,
              AllOf(HasSubstr("is of simulated H200, this run of simulated A100"), HasSubstr("--accept-more")));
  EXPECT_EQ(text_of("zerostall.baseline.json"), written);
  EXPECT_EQ(shell("check other.zstall --baseline zerostall.baseline.json").exit_code, 3);
  EXPECT_EQ(shell("baseline update other.zstall --accept-more").exit_code, 0);
  EXPECT_THAT(text_of("zerostall.baseline.json"), HasSubstr("simulated A100"));
}

TEST_F(BaselineCommand, ShowsFilesAndTraces) {
  trace("a.zstall", 2);
  ASSERT_EQ(shell("baseline update a.zstall").exit_code, 0);
  const ChildResult file = shell("baseline show");
  EXPECT_EQ(file.exit_code, 0) << file.err;
  EXPECT_THAT(file.out, AllOf(HasSubstr("zerostall.baseline.json: simulated H200 · 18 steps judged"),
                              HasSubstr("region train"), HasSubstr("0..1, 1 in 18 steps")));
  const ChildResult run = shell("baseline show a.zstall");
  EXPECT_EQ(run.out.substr(run.out.find('\n')), file.out.substr(file.out.find('\n')));
}

TEST_F(BaselineCommand, TakesThePolicysWarmUp) {
  trace("a.zstall", 1);
  std::ofstream(here() / "gate.toml") << "[run]\nwarmup = 5\n[budget]\nwaits = 9\n";
  const ChildResult made = shell("baseline update a.zstall --policy gate.toml -o b.json");
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr("15 steps judged, first 5 not"));
}

TEST_F(BaselineCommand, BadUseIsOneLine) {
  std::ofstream(here() / "broken.json") << "{\"schema\": \"zerostall/baseline/1\", ";
  trace("a.zstall", 1);
  for (const auto& [arguments, says] :
       {std::pair("baseline", "baseline needs `update` or `show`"), std::pair("baseline show", "there is no zerostall"),
        std::pair("baseline show none.json", "none.json"),
        std::pair("baseline update", "nothing to make a baseline of"),
        std::pair("baseline show broken.json", "broken.json: no JSON from line 1 on"),
        std::pair("baseline update a.zstall -o broken.json", "broken.json: no JSON from line 1 on"),
        std::pair("baseline update none.zstall", "none.zstall"),
        std::pair("baseline update a.zstall -o no/such/folder/b.json", "no/such/folder"),
        std::pair("baseline update a.zstall --step-pattern '('", "is not a regular expression")}) {
    const ChildResult result = shell(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments << result.out;
    EXPECT_THAT(result.err, HasSubstr(says)) << arguments;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

}  // namespace
}  // namespace zerostall
