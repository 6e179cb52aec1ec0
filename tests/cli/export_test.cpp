// `zerostall export` from outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/installation.h"
#include "tests/reports/perfetto_view.h"
#include "tests/trace/trace_builder.h"

namespace zerostall {
namespace {

namespace fs = std::filesystem;
using namespace zerostall::testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

std::string trace_bytes(const std::string& more = "") {
  TraceBuilder t;
  t.meta = R"({"tool": "test", "clock": "modelled", "simulated_model": "h200")" + more + "}";
  for (int n = 0; n < 4; ++n)
    t.step(n, [&] {
      t.launch();
      t.item();
    });
  return t.bytes();
}

std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Export : public ::testing::Test {
 protected:
  Export() { put("run.zstall", trace_bytes()); }

  void put(const std::string& name, const std::string& bytes) {
    fs::create_directories(here.path("work/" + name).parent_path());
    ASSERT_TRUE(write_file(here.path("work/" + name), bytes));
  }
  // `arguments` as one writes them in a shell, in the folder "work".
  ChildResult run(const std::string& arguments) {
    return here.shell("cd \"$here/work\" && \"$zerostall\" export " + arguments);
  }
  std::vector<std::string> files() const { return here.files_in("work"); }
  // Nothing is written, and one line says why.
  std::string error(const std::string& arguments, int code) {
    const auto before = files();
    const ChildResult result = run(arguments);
    EXPECT_EQ(result.exit_code, code) << arguments << ": " << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, StartsWith("zerostall: "));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(files(), before);
    return result.err;
  }
  Installation here;
};

TEST_F(Export, WritesEachFormatToAFileOrToStandardOutput) {
  for (const char* format : {"perfetto", "chrome", "csv", "json"}) {
    const ChildResult to_file = run(std::string("run.zstall -o out --format ") + format);
    EXPECT_EQ(to_file.exit_code, 0) << to_file.err;
    EXPECT_EQ(to_file.out, "");
    EXPECT_THAT(to_file.err, StartsWith("zerostall: wrote out: 4 steps"));
    const ChildResult to_output = run(std::string("run.zstall --format ") + format);
    EXPECT_EQ(to_output.err, "");
    EXPECT_EQ(to_output.out, content(here.path("work/out"))) << format;
    EXPECT_EQ(run(std::string("run.zstall -o - --format ") + format).out, to_output.out);
  }
  EXPECT_THAT(files(), ElementsAre("out", "run.zstall"));
}

TEST_F(Export, WritesWhatTheFormatsSay) {
  EXPECT_EQ(PerfettoView(run("run.zstall --format perfetto").out).names("steps").size(), 5u);
  const Json chrome = Json::parse(run("run.zstall --format chrome").out);
  EXPECT_EQ(chrome["clock"], "modelled");
  const Json json = Json::parse(run("run.zstall --format json").out);
  EXPECT_EQ(json["processes"][0]["steps"].size(), 4u);
  EXPECT_THAT(run("run.zstall --format csv --table waits").out, StartsWith("process,clock,thread,step,"));
  EXPECT_EQ(Json::parse(run("--schema").out)["title"], "zerostall/export/1");
}

TEST_F(Export, TakesTheNewestRun) {
  const ChildResult result = run("--format json -o x.json");
  EXPECT_EQ(result.err, "zerostall: exporting run.zstall\nzerostall: wrote x.json: 4 steps\n");
}

TEST_F(Export, TellsNoFolders) {
  put("secret-folder/t.zstall", trace_bytes());
  for (const char* format : {"perfetto", "chrome", "csv", "json"}) {
    const ChildResult result = run(std::string("\"$PWD/secret-folder/t.zstall\" --format ") + format);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, Not(HasSubstr("secret-folder")));
  }
}

TEST_F(Export, PutsAllProcessesOfAFolderIntoOneFile) {
  put("all/rank0.zstall", trace_bytes(R"(, "rank": 0, "pid": 7)"));
  put("all/rank1.zstall", trace_bytes(R"(, "rank": 1, "pid": 7)"));
  const ChildResult perfetto = run("all --format perfetto -o p");
  EXPECT_THAT(perfetto.err, HasSubstr("8 steps of 2 processes"));
  std::vector<std::string> names;
  for (const auto& [uuid, track] : PerfettoView(content(here.path("work/p"))).tracks)
    if (!track.process.empty()) names.push_back(track.process);
  EXPECT_THAT(names, ElementsAre(StartsWith("rank0"), StartsWith("rank1")));

  const Json json = Json::parse(run("all --format json").out);
  ASSERT_EQ(json["processes"].size(), 2u);
  EXPECT_EQ(json["processes"][1]["rank"], 1);
  EXPECT_EQ(json["processes"][1]["file"], "rank1.zstall");
  const Json one = Json::parse(run("all --format json --rank 1").out);
  ASSERT_EQ(one["processes"].size(), 1u);
  EXPECT_EQ(one["processes"][0]["name"], "rank1");
  EXPECT_THAT(error("all --format json --rank 5", 3), HasSubstr("no process of rank 5 in all; it has rank0, rank1"));
}

TEST_F(Export, OfAFolderWritesWhatCanBeReadAndSaysWhatCannot) {
  put("all/rank0.zstall", trace_bytes(R"(, "rank": 0)"));
  put("all/rank1.zstall", "");
  put("all/rank2.zstall", TraceBuilder().bytes());  // made no CUDA call
  const ChildResult result = run("all --format json -o all.json");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("left out: process: all/rank2.zstall holds no CUDA call"),
                    HasSubstr("1 of 3 traces in all cannot be read: "), HasSubstr("rank1.zstall is empty")));
  const Json json = Json::parse(content(here.path("work/all.json")));
  EXPECT_EQ(json["processes"].size(), 1u);
  EXPECT_EQ(json["unreadable"][0]["file"], "rank1.zstall");
}

TEST_F(Export, RefusesWrongUse) {
  EXPECT_THAT(error("run.zstall", 2), HasSubstr("export needs --format perfetto, chrome, csv or json"));
  EXPECT_THAT(error("run.zstall --format pdf", 2), HasSubstr("'pdf' is none of chrome, csv, json, perfetto"));
  EXPECT_THAT(error("run.zstall --format json --table waits", 2), HasSubstr("--table is for --format csv"));
  EXPECT_THAT(error("run.zstall --format csv --table stops", 2), HasSubstr("'stops' is none of"));
  EXPECT_THAT(error("run.zstall --format json --step-pattern '('", 2), HasSubstr("is not a regular expression"));
  EXPECT_THAT(error("none.zstall --format json", 2), HasSubstr("No such file"));
  put("text", "hello");
  put("empty", "");
  EXPECT_THAT(error("text --format json -o x", 2), HasSubstr("is of no format known here"));
  EXPECT_THAT(error("empty --format json -o x", 2), HasSubstr("is empty"));
  fs::create_directory(here.path("work/folder"));
  EXPECT_THAT(error("folder --format json", 2), HasSubstr("is a folder without traces"));
}

TEST_F(Export, RefusesWhatTheTraceDoesNotHold) {
  TraceBuilder plain;
  plain.item();
  put("plain.zstall", plain.bytes());
  put("idle.zstall", TraceBuilder().bytes());
  TraceBuilder spoilt;
  spoilt.note(format::NoteKind::tool_problem, "could not attach");
  put("spoilt.zstall", spoilt.bytes());
  put("cut.zstall", trace_bytes().substr(0, 130));
  EXPECT_THAT(error("idle.zstall --format perfetto -o x", 3), HasSubstr("idle.zstall holds no CUDA call"));
  EXPECT_THAT(error("spoilt.zstall --format json", 3), HasSubstr("the tracer had a problem: could not attach"));
  EXPECT_THAT(error("cut.zstall --format json -o x", 3), HasSubstr("cut off at byte 130 and no CUDA call is readable"));
  EXPECT_THAT(error("plain.zstall --format csv -o x", 3), HasSubstr("no steps found"));
  EXPECT_THAT(error("plain.zstall --format json --step-pattern '^epoch'", 3), HasSubstr("matches '^epoch'"));
  EXPECT_EQ(run("plain.zstall --format csv --table waits").exit_code, 0);
  EXPECT_EQ(run("plain.zstall --format perfetto").exit_code, 0);
}

TEST_F(Export, RefusesPlacesItCannotWrite) {
  fs::create_directory(here.path("work/folder"));
  EXPECT_THAT(error("run.zstall --format json -o folder", 2), HasSubstr("-o: cannot replace folder: it is a folder"));
  EXPECT_THAT(error("run.zstall --format json -o folder/", 2), HasSubstr("names a folder"));
  EXPECT_THAT(error("run.zstall --format json -o run.zstall", 2), HasSubstr("is the trace itself"));
  EXPECT_THAT(error("run.zstall --format json -o run.zstall/x", 2), HasSubstr("-o: cannot"));
  EXPECT_THAT(error("run.zstall --format json -o /dev/full", 2), HasSubstr("it is not a regular file"));
  EXPECT_EQ(content(here.path("work/run.zstall")), trace_bytes());
  for (const char* format : {"perfetto", "json"}) {
    const ChildResult full = run(std::string("run.zstall > /dev/full --format ") + format);
    EXPECT_EQ(full.exit_code, 4);
    EXPECT_EQ(full.err, "zerostall: cannot write to standard output: No space left on device\n");
  }
}

// The limit stands for a full disk: what is written stops in the middle.
TEST_F(Export, LeavesNothingHalfWritten) {
  TraceBuilder t;
  for (int n = 0; n < 200; ++n)
    t.step(n, [&] {
      for (int i = 0; i < 20; ++i) t.item();
    });
  put("large.zstall", t.bytes());
  put("out.json", "the old one");
  const auto before = files();
  const ChildResult result = here.shell(
      "cd \"$here/work\" && trap '' XFSZ && ulimit -f 64 && exec \"$zerostall\" export large.zstall "
      "--format json -o out.json");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, "zerostall: cannot write out.json: File too large\n");
  EXPECT_EQ(files(), before);
  EXPECT_EQ(content(here.path("work/out.json")), "the old one");
  EXPECT_EQ(run("large.zstall --format json -o out.json").exit_code, 0);
  EXPECT_THAT(content(here.path("work/out.json")), StartsWith("{\"schema\""));
}

// Stopped while it writes.
TEST_F(Export, LeavesNothingWhenASignalStopsIt) {
  TraceBuilder t;
  for (int n = 0; n < 300; ++n)
    t.step(n, [&] {
      for (int i = 0; i < 60; ++i) t.item();
    });
  put("large.zstall", t.bytes());
  const auto before = files();
  // The signal comes as soon as the temporary file is there.
  const ChildResult result = here.shell(
      "cd \"$here/work\" && { \"$zerostall\" export large.zstall --format chrome -o out.json & child=$!; "
      "until ls out.json.* > /dev/null 2>&1 || test -e out.json; do :; done; kill -TERM $child; wait $child; }");
  if (result.exit_code == 0) GTEST_SKIP() << "it was done before the signal came";
  EXPECT_EQ(result.exit_code, 128 + 15);
  EXPECT_EQ(files(), before);
}

TEST_F(Export, MakesFoldersAndReplacesFiles) {
  EXPECT_EQ(run("run.zstall --format json -o new/folder/x.json").exit_code, 0);
  put("old.csv", "old");
  EXPECT_EQ(run("run.zstall --format csv -o old.csv").exit_code, 0);
  EXPECT_THAT(content(here.path("work/old.csv")), StartsWith("process,clock,step"));
}

}  // namespace
}  // namespace zerostall
