// `zerostall stat` from outside: its tables, CSV, regions, terminals and pipes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "profiler/base/files.h"
#include "profiler/base/strings.h"
#include "tests/cli/program.h"
#include "tests/trace/trace_builder.h"

namespace zerostall {
namespace {

namespace fs = std::filesystem;
using namespace zerostall::testing;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A folder with a trace: waits in regions `load` and `train`.
class StatViews : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int n = 0; n < 6; ++n)
      t_.step(n, [&] {
        t_.range("load", [&] { t_.upload(4096), t_.upload(4096); });
        t_.range("train", [&] { t_.launch(), t_.item(); });
      });
    t_.write(trace());
  }
  std::string trace() const { return (folder_->path() / "t.zstall").string(); }

  ChildResult stat(std::vector<std::string> arguments, std::map<std::string, std::string> environment = {}) const {
    arguments.insert(arguments.begin(), {"stat", trace()});
    return run_program(ZEROSTALL_PROGRAM, std::move(arguments), std::move(environment));
  }
  ChildResult shell(const std::string& command) const {
    return run_program("/bin/sh", {"-c", command}, {{"z", ZEROSTALL_PROGRAM}, {"t", trace()}});
  }

  TraceBuilder t_;
  Result<TempFolder> folder_ = TempFolder::make();
};

std::size_t widest(const std::string& text) {
  std::size_t width = 0;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) width = std::max(width, characters(line));
  return width;
}

TEST_F(StatViews, ShowsTheTablesAskedForInTheirOrder) {
  const ChildResult result = stat({"--by", "thread,step", "--by", "cause"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto thread = result.out.find("\nthread "), step = result.out.find("\nstep "),
             cause = result.out.find("\ncause ");
  EXPECT_TRUE(thread < step && step < cause && cause != std::string::npos) << result.out;
}

TEST_F(StatViews, RefusesWhatDoesNotGoTogether) {
  for (const auto& [arguments, words] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--by", "site,place"}, "'place' is none of step, site, cause, thread, stream"},
           {{"--by", ""}, "'' is none of"},
           {{"--csv"}, "--csv prints one table: name it"},
           {{"--csv", "--by", "site,step"}, "--csv prints one table"},
           {{"--csv", "--by", "site", "--json"}, "exclude each other"},
           {{"--json", "--by", "site"}, "leave --by and --top out"},
           {{"--json", "--top", "3"}, "leave --by and --top out"},
           {{"--by", "thread", "--region", "train"}, "not told by region"},
           {{"--stacks", "--region", "train"}, "--stacks is of whole runs"},
           {{"--verbose", "--by", "site"}, "leave --by out"},
           {{"--top", "-1"}, "not in the range"},
           {{"--color", "blue"}, "blue"}}) {
    const ChildResult result = stat(arguments);
    EXPECT_EQ(result.exit_code, 2) << words;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(words));
  }
}

TEST_F(StatViews, PrintsCsvThatScriptsCanRead) {
  const ChildResult result = stat({"--by", "step", "--csv"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 7);
  EXPECT_THAT(result.out, ::testing::StartsWith("clock,step,begin_ns,"));
  EXPECT_EQ(result.err, "");
  const ChildResult top = stat({"--by", "step", "--csv", "--top", "2", "--color", "always"}, {{"COLUMNS", "40"}});
  EXPECT_EQ(std::count(top.out.begin(), top.out.end(), '\n'), 3);
  EXPECT_THAT(top.out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(top.err, HasSubstr("2 of 6 rows"));
}

TEST_F(StatViews, OfARegionCountsOnlyWhatWaitsInIt) {
  const ChildResult train = stat({"--region", "train"});
  EXPECT_EQ(train.exit_code, 0) << train.err;
  EXPECT_THAT(train.out, AllOf(HasSubstr("region `train` only"), Not(HasSubstr("in load"))));
  const json of_load = json::parse(stat({"--region", "load", "--json"}).out);
  EXPECT_EQ(of_load["per_step"]["waits"]["max"], 2);
  EXPECT_EQ(of_load["totals"]["waits"], 12);
  EXPECT_EQ(of_load["sites"][0]["waits"], 12);
  const ChildResult none = stat({"--region", "tran"});
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_EQ(none.out, "");
  EXPECT_THAT(none.err, HasSubstr("no region 'tran' in the steps of"));
  EXPECT_THAT(none.err, HasSubstr("there are: load, train"));
}

TEST_F(StatViews, OfOneFileTheRankMustBeItsOwn) {
  EXPECT_EQ(stat({"--rank", "3"}).exit_code, 3);
  EXPECT_THAT(stat({"--rank", "3"}).err, HasSubstr("does not tell of which rank it is"));
  t_.meta = R"({"tool": "test", "clock": "modelled", "rank": 2})";
  t_.write(trace());
  EXPECT_EQ(stat({"--rank", "2"}).exit_code, 0);
  EXPECT_THAT(stat({"--rank", "3"}).err, HasSubstr("is of rank 2, not of rank 3"));
}

TEST_F(StatViews, ReadsATraceFromItsStandardInputAndLeavesNoCopy) {
  const std::string before = "mkdir \"${t%/*}/tmp\" && export TMPDIR=\"${t%/*}/tmp\" && ";
  const ChildResult result = shell(before + "cat \"$t\" | \"$z\" stat - && ls -A \"$TMPDIR\" | wc -l");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("standard input · simulated"));
  EXPECT_TRUE(result.out.ends_with("\n0\n")) << result.out;
  const json whole = json::parse(shell("\"$z\" stat - --json < \"$t\"").out);
  EXPECT_EQ(whole["steps"].size(), 6u);
  EXPECT_EQ(whole["source"]["path"], "standard input");
}

TEST_F(StatViews, SaysWhatIsWrongWithStandardInput) {
  const ChildResult empty = shell("\"$z\" stat - < /dev/null");
  EXPECT_EQ(empty.exit_code, 2);
  EXPECT_THAT(empty.err, HasSubstr("standard input is empty"));
  const ChildResult text = shell("echo hello | \"$z\" stat -");
  EXPECT_EQ(text.exit_code, 2);
  EXPECT_THAT(text.err, HasSubstr("standard input is of no format known here"));
}

TEST_F(StatViews, FitsTheColumnsItIsGiven) {
  for (const char* width : {"60", "80", "100"})
    EXPECT_LE(widest(stat({}, {{"COLUMNS", width}}).out), std::stoul(width));
  EXPECT_EQ(stat({}, {{"COLUMNS", "wide"}}).out, stat({}).out);
}

TEST_F(StatViews, HasNoColourInPipesUnlessToldTo) {
  EXPECT_THAT(stat({}).out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(stat({"--color", "always"}).out, HasSubstr("\x1b[1m"));
  EXPECT_THAT(stat({"--color", "always", "--json"}).out, Not(HasSubstr("\x1b")));
}

// What a command prints on a terminal of 90 columns.
std::string on_terminal(const std::string& command) {
  winsize size{};
  size.ws_row = 24;
  size.ws_col = 90;
  int terminal = -1;
  const pid_t pid = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (pid == 0) {
    ::execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    ::_exit(1);
  }
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = ::read(terminal, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(n));
  ::close(terminal);
  ::waitpid(pid, nullptr, 0);
  std::erase(text, '\r');
  return text;
}

TEST_F(StatViews, OnATerminalFitsItAndHasColourUnlessForbidden) {
  const std::string stat = std::string(ZEROSTALL_PROGRAM) + " stat " + trace();
  const std::string shown = on_terminal("unset COLUMNS NO_COLOR; TERM=xterm " + stat);
  EXPECT_THAT(shown, HasSubstr("\x1b[1m"));
  for (const char* off : {"TERM=dumb ", "TERM=xterm NO_COLOR=1 "}) {
    const std::string plain = on_terminal("unset COLUMNS NO_COLOR; " + std::string(off) + stat);
    EXPECT_THAT(plain, AllOf(HasSubstr("waits/step"), Not(HasSubstr("\x1b"))));
    EXPECT_LE(widest(plain), 90u);
  }
  EXPECT_THAT(on_terminal("TERM=xterm NO_COLOR= " + stat + " --color never"), Not(HasSubstr("\x1b")));
  EXPECT_THAT(on_terminal(stat + " > /dev/null; " + std::string(ZEROSTALL_PROGRAM) + " stat -"),
              HasSubstr("standard input is a terminal"));
}

}  // namespace
}  // namespace zerostall
