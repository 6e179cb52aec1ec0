// `zerostall report` from outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/installation.h"
#include "tests/trace/trace_builder.h"

namespace zerostall {
namespace {

namespace fs = std::filesystem;
using namespace zerostall::testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

// `reads` of 4 B in each of six steps.
std::string trace_bytes(int reads, const std::string& more = "") {
  TraceBuilder t;
  t.meta = R"({"tool": "test", "clock": "modelled", "simulated_model": "h200")" + more + "}";
  for (int n = 0; n < 6; ++n)
    t.step(n, [&] {
      t.launch();
      for (int i = 0; i < reads; ++i) t.item();
    });
  return t.bytes();
}

std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Json json_in(const std::string& page) {
  const std::string mark = "<script type=\"application/json\" id=\"zerostall-report\">";
  const std::size_t begin = page.find(mark) + mark.size();
  return Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

class Report : public ::testing::Test {
 protected:
  Report() {
    put("run.zstall", trace_bytes(2));
    put("after.zstall", trace_bytes(0));
  }

  void put(const std::string& name, const std::string& bytes) {
    fs::create_directories(here.path("work/" + name).parent_path());
    ASSERT_TRUE(write_file(here.path("work/" + name), bytes));
  }
  ChildResult run(const std::string& arguments) {
    return here.shell("cd \"$here/work\" && \"$zerostall\" " + arguments);
  }
  std::string page(const std::string& name) const { return content(here.path("work/" + name)); }
  // Nothing is written, and one line says why.
  std::string error(const std::string& arguments, int code) {
    const auto before = here.files_in("work");
    const ChildResult result = run("report " + arguments);
    EXPECT_EQ(result.exit_code, code) << arguments << ": " << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, StartsWith("zerostall: "));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(here.files_in("work"), before);
    return result.err;
  }

  Installation here;
};

TEST_F(Report, OfOneRun) {
  const ChildResult result = run("report run.zstall -o r.html");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, AllOf(HasSubstr("wrote r.html: "), HasSubstr("open it in a browser")));
  EXPECT_THAT(page("r.html"),
              AllOf(StartsWith("<!doctype html>"), HasSubstr("waits for the GPU 2 times in each step")));
  EXPECT_EQ(json_in(page("r.html"))["after"][0]["trace"], "run.zstall");
}

TEST_F(Report, OfTwoRuns) {
  EXPECT_EQ(run("report run.zstall after.zstall -o r.html").exit_code, 0);
  EXPECT_THAT(page("r.html"), HasSubstr("Host waits per step: 2 → 0"));
  const Json report = json_in(page("r.html"));
  EXPECT_EQ(report["before"][0]["trace"], "run.zstall");
  EXPECT_EQ(report["after"][0]["trace"], "after.zstall");
  EXPECT_EQ(report["figures"][0]["rows"][0]["change"], "−2");
}

TEST_F(Report, ToStandardOutputWhereThatIsNoTerminal) {
  const ChildResult result = run("report run.zstall");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, EndsWith("</html>\n"));  // the last 64 KiB are kept
}

TEST_F(Report, OfTheRankThatWaitsMostOrIsAskedFor) {
  put("job/rank0.zstall", trace_bytes(1, R"(, "rank": 0)"));
  put("job/rank1.zstall", trace_bytes(3, R"(, "rank": 1)"));
  put("later/rank0.zstall", trace_bytes(5, R"(, "rank": 0)"));
  put("later/rank1.zstall", trace_bytes(0, R"(, "rank": 1)"));
  EXPECT_EQ(run("report job -o r.html").exit_code, 0);
  EXPECT_EQ(json_in(page("r.html"))["after"][0]["name"], "rank1.zstall");
  EXPECT_EQ(json_in(page("r.html"))["after"].size(), 2u);
  EXPECT_EQ(run("report job --rank 0 -o r.html").exit_code, 0);
  EXPECT_EQ(json_in(page("r.html"))["after"][0]["name"], "rank0.zstall");
  EXPECT_EQ(run("report job later -o r.html").exit_code, 0);  // of B the same rank, though another waits more
  EXPECT_EQ(json_in(page("r.html"))["after"][0]["name"], "rank1.zstall");
  EXPECT_THAT(error("job --rank 7 -o r2.html", 3), HasSubstr("7"));
}

TEST_F(Report, RefusesWhatItCannotDo) {
  EXPECT_THAT(error("run.zstall -o run.zstall", 2), HasSubstr("run.zstall is the trace itself"));
  EXPECT_THAT(error("run.zstall after.zstall -o after.zstall", 2), HasSubstr("is the trace itself"));
  EXPECT_THAT(error("nothing.zstall -o r.html", 2), HasSubstr("nothing.zstall"));
  EXPECT_THAT(error("run.zstall after.zstall third.zstall -o r.html", 2), HasSubstr("third.zstall"));
  EXPECT_THAT(error("run.zstall -o /proc/r.html", 2), HasSubstr("/proc"));
  EXPECT_THAT(error("run.zstall --max-size 8 -o r.html", 2), HasSubstr("--max-size"));
  EXPECT_THAT(error("run.zstall --step-pattern '(' -o r.html", 2), HasSubstr("("));
  put("no.zstall", TraceBuilder{}.bytes());
  EXPECT_THAT(error("no.zstall -o r.html", 3), HasSubstr("CUDA"));
}

TEST_F(Report, NamesNoFolderOfTheMachine) {
  EXPECT_EQ(run("report \"$here/work/run.zstall\" -o r.html").exit_code, 0);
  EXPECT_THAT(page("r.html"), AllOf(Not(HasSubstr(here.path("work").string())), HasSubstr("run.zstall")));
}

// How many slices the timeline of each side has; null: it has none, and its data are not in the page.
Json timelines_in(const std::string& page) {
  const Json told = json_in(page)["timeline"];
  Json slices;
  for (const char* side : {"before", "after"}) {
    const bool embedded = page.find(std::string("id=\"zerostall-timeline-") + side + "\"") != std::string::npos;
    EXPECT_EQ(embedded, !told[side].is_null()) << side;
    slices.push_back(embedded ? told[side]["slices"] : Json(nullptr));
  }
  return slices;
}

TEST_F(Report, OfCheckHasTheTimelinesThatAReportOfTheTracesHas) {
  EXPECT_EQ(run("report run.zstall after.zstall -o both.html").exit_code, 0);
  const Json both = timelines_in(page("both.html"));
  EXPECT_GT(both[0], 10);
  EXPECT_EQ(run("check after.zstall --max waits=1 --out html=one.html").exit_code, 0);
  EXPECT_EQ(timelines_in(page("one.html")), Json({nullptr, both[1]}));
  EXPECT_EQ(run("check after.zstall --baseline run.zstall --out html=two.html").exit_code, 0);
  EXPECT_EQ(timelines_in(page("two.html")), both);
}

TEST_F(Report, OfCheckShowsTheTimelineOfTheProcessThatIsShown) {
  put("job/rank0.zstall", trace_bytes(1, R"(, "rank": 0)"));
  put("job/rank1.zstall", trace_bytes(3, R"(, "rank": 1)"));
  put("later/rank0.zstall", trace_bytes(9, R"(, "rank": 0)"));
  put("later/rank1.zstall", trace_bytes(8, R"(, "rank": 1)"));
  put("just0.zstall", trace_bytes(9, R"(, "rank": 0)"));
  EXPECT_EQ(run("report job/rank0.zstall just0.zstall -o wanted.html").exit_code, 0);
  EXPECT_EQ(run("check later --baseline job --out html=r.html").exit_code, 1);
  EXPECT_EQ(json_in(page("r.html"))["after"][0]["name"], "rank0.zstall");
  EXPECT_EQ(json_in(page("r.html"))["before"][0]["name"], "rank0.zstall");
  EXPECT_EQ(timelines_in(page("r.html")), timelines_in(page("wanted.html")));
}

TEST_F(Report, OfCheckWithItsVerdict) {
  const ChildResult result = run("check after.zstall run.zstall --max waits=1 --out html=r.html");
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(page("r.html"),
              AllOf(HasSubstr("<span class=\"word\">Violation</span>"), HasSubstr("budget: at most 1")));
  EXPECT_EQ(json_in(page("r.html"))["check"]["verdict"], "violation");
  EXPECT_EQ(run("check after.zstall --baseline run.zstall --out html=b.html").exit_code, 0);
  EXPECT_THAT(page("b.html"), AllOf(HasSubstr("<span class=\"word\">Pass</span>"), HasSubstr("Before and after")));
}

}  // namespace
}  // namespace zerostall
