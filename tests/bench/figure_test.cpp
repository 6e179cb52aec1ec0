// What figure.h records is what figures.py records (bench_test.py): the same keys, limits and ratios.
#include "figure.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "profiler/base/files.h"

namespace zerostall {
namespace {

using nlohmann::json;

class Figures : public ::testing::Test {
 protected:
  Figures() : folder_(std::move(TempFolder::make().value())) { set(path().c_str()); }
  ~Figures() override { ::unsetenv("ZEROSTALL_BENCH_FIGURES"); }

  static void set(const char* value) { ::setenv("ZEROSTALL_BENCH_FIGURES", value, 1); }
  std::filesystem::path path() const { return folder_.path() / "figures.jsonl"; }
  std::vector<json> told() const {
    std::ifstream file(path());
    std::vector<json> all;
    for (std::string line; std::getline(file, line);) all.push_back(json::parse(line));
    return all;
  }

 private:
  TempFolder folder_;
};

TEST_F(Figures, HaveTheLimitOfTheirGoal) {
  tell({"tracer.launch.callbacks", "a call", "ns", 50, "beside it"});
  tell({"tracer.launch.callbacks", "a call", "ns", 101});
  const auto all = told();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0], json::parse(R"({"part": "tracer", "id": "tracer.launch.callbacks", "what": "a call", "value": 50.0,
      "unit": "ns", "better": "less", "limit": 100.0, "ratio": 0.5, "holds": true, "more": "beside it"})"));
  EXPECT_EQ(all[1]["holds"], false);
}

TEST_F(Figures, OfWhichMoreIsBetterHoldAboveTheirLimit) {
  tell({"import.sqlite.calls", "speed", "x", 1.4});
  tell({"import.sqlite.calls", "speed", "x", 0.35});
  const auto all = told();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0]["better"], "more");
  EXPECT_DOUBLE_EQ(all[0]["ratio"], 0.5);
  EXPECT_EQ(all[0]["holds"], true);
  EXPECT_DOUBLE_EQ(all[1]["ratio"], 2);
  EXPECT_EQ(all[1]["holds"], false);
}

TEST_F(Figures, MayHaveNoLimitAndBePointsOfACurve) {
  tell({"analyze.nothing", "something", "us", 3, "", "events: something", 1000});
  ASSERT_EQ(told().size(), 1u);
  EXPECT_EQ(told()[0], json::parse(R"({"part": "analyze", "id": "analyze.nothing", "what": "something", "value": 3.0,
      "unit": "us", "curve": {"name": "events: something", "x": 1000.0}})"));
}

TEST_F(Figures, ALimitOfNothingHasNoRatio) {
  tell({"tracer.size.lost", "lost", "calls", 0});
  tell({"tracer.size.lost", "lost", "calls", 1});
  ASSERT_EQ(told().size(), 2u);
  EXPECT_TRUE(told()[0]["ratio"].is_null());
  EXPECT_EQ(told()[0]["holds"], true);
  EXPECT_EQ(told()[1]["holds"], false);
}

TEST_F(Figures, GoNowhereUnlessAskedFor) {
  set("");
  tell({"analyze.nothing", "something", "us", 3});
  EXPECT_TRUE(told().empty());
}

TEST_F(Figures, CannotBeLostSilently) {
  set("/dev/full");
  EXPECT_EXIT(tell({"analyze.nothing", "something", "us", 3}), ::testing::ExitedWithCode(2),
              "/dev/full: cannot be written");
}

}  // namespace
}  // namespace zerostall
