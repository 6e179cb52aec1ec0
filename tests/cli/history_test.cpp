// `zerostall history`, as a user would call it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "profiler/base/files.h"
#include "tests/cli/program.h"
#include "tests/faults/fault_count.h"
#include "tests/trace/trace_builder.h"

namespace zerostall {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::run_program;
using testing::TraceBuilder;

class HistoryCommand : public ::testing::Test {
 protected:
  ChildResult shell(const std::string& script) {
    return run_program("/bin/sh", {"-c", "cd \"$here\"; " + script},
                       {{"here", here().string()},
                        {"zerostall", ZEROSTALL_PROGRAM},
                        {"GITHUB_SHA", ""},
                        {"CI_COMMIT_SHA", ""},
                        {"GIT_CEILING_DIRECTORIES", here().parent_path().string()}});
  }
  ChildResult history(const std::string& arguments) { return shell("\"$zerostall\" history " + arguments); }
  fs::path here() const { return folder_->path(); }

  // A run whose steps read back so many values.
  std::string trace(int items, const std::string& more_meta = "") {
    const std::string name = std::to_string(items) + std::to_string(more_meta.size()) + ".zstall";
    TraceBuilder t;
    t.meta = R"({"tool": "test", "clock": "modelled", "simulated_model": "h200")" + more_meta + "}";
    for (int n = 0; n < 6; ++n)
      t.step(n, [&] {
        t.launch();
        for (int i = 0; i < items; ++i) t.item();
      });
    t.write(here() / name);
    return name;
  }

  const Result<TempFolder> folder_ = TempFolder::make();
};

TEST_F(HistoryCommand, TellsBetweenWhichCommitsACountRose) {
  for (const auto& [commit, items] : {std::pair("a", 1), std::pair("b", 1), std::pair("c", 3), std::pair("d", 3)}) {
    const ChildResult added = history("add " + trace(items) + " --commit " + commit);
    ASSERT_EQ(added.exit_code, 0) << added.err;
  }
  const ChildResult shown = history("show");
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("rose  between b (still good) and c (bad): waits per step 1 → 3\n"));
  EXPECT_THAT(history("show --metric h2d_stalls").out, HasSubstr("no rise of H2D stalls that stayed"));
  EXPECT_EQ(history("plot").out.substr(0, history("plot").out.find("rose")),
            "simulated H200\n"
            "waits per step, the most of a step\n"
            " 3 │     █ █\n"
            " 2 │     █ █\n"
            " 1 │ █ █ █ █\n"
            " 0 │ ▁ ▁ ▁ ▁\n"
            "     a     d\n");
}

TEST_F(HistoryCommand, KnowsTheFirstBadCommitFromGit) {
  const std::string git = "git -c user.name=a -c user.email=b commit -q --allow-empty -m";
  ASSERT_EQ(shell("git init -q -b main .").exit_code, 0);
  int number = 0;
  for (const int items : {1, 1, 2, 2}) {
    const ChildResult added =
        shell(git + " " + std::to_string(number++) + " && \"$zerostall\" history add " + trace(items));
    ASSERT_EQ(added.exit_code, 0) << added.err;
    EXPECT_THAT(added.out, HasSubstr("branch main"));
  }
  const ChildResult bad = shell("git rev-parse HEAD~1");
  EXPECT_THAT(history("show").out,
              HasSubstr("rose  first bad commit " + bad.out.substr(0, 9) + ": waits per step 1 → 2\n"));
  const auto json = nlohmann::json::parse(history("show --json").out);
  EXPECT_EQ(json["schema"], "zerostall/history/1");
  EXPECT_EQ(json["series"][0]["branch"], "main");
  EXPECT_EQ(json["series"][0]["commits"].size(), 4u);
  EXPECT_EQ(json["series"][0]["commits"][2]["per_step"]["max"], 2);
  EXPECT_EQ(json["series"][0]["rises"][0]["commit"].get<std::string>() + "\n", bad.out);
  EXPECT_EQ(json["series"][0]["rises"][0]["certain"], true);
}

TEST_F(HistoryCommand, TheSameCommitIsReplacedAndOtherSettingsAreApart) {
  ASSERT_EQ(history("add " + trace(1) + " --commit a").exit_code, 0);
  ASSERT_EQ(history("add " + trace(2) + " --commit b").exit_code, 0);
  ASSERT_EQ(history("add " + trace(4) + " --commit a").exit_code, 0);
  ASSERT_EQ(history("add " + trace(5, R"(, "device": {"name": "simulated A100"})") + " --commit a").exit_code, 0);
  ASSERT_EQ(history("add " + trace(6) + " --commit a --branch other").exit_code, 0);
  const auto json = nlohmann::json::parse(history("show --json").out);
  ASSERT_EQ(json["series"].size(), 3u);
  EXPECT_EQ(json["series"][0]["device"], "simulated A100");
  EXPECT_EQ(json["series"][1]["commits"].size(), 2u);
  EXPECT_EQ(json["series"][1]["commits"][0]["commit"], "a");
  EXPECT_EQ(json["series"][1]["commits"][0]["per_step"]["max"], 4);
  EXPECT_TRUE(json["series"][1]["branch"].is_null());
  EXPECT_EQ(nlohmann::json::parse(history("show --json --branch other").out)["series"].size(), 1u);
}

TEST_F(HistoryCommand, SeveralMayAddAtTheSameTime) {
  const testing::FaultCount fault("at_once", 8);
  std::string script;
  for (int i = 0; i < 8; ++i)
    script += "\"$zerostall\" history add " + trace(1) + " --commit c" + std::to_string(i) + " & ";
  const ChildResult added = shell(script + "wait");
  EXPECT_EQ(added.err, "");
  const auto json = nlohmann::json::parse(history("show --json").out);
  EXPECT_EQ(json["series"][0]["commits"].size(), 8u);
}

TEST_F(HistoryCommand, BadUseIsOneLineAndLeavesTheFileAlone) {
  std::ofstream(here() / "text.sqlite") << "no database, but long enough to be taken for something else "
                                        << std::string(900, 'x');
  std::ofstream(here() / "empty.sqlite");
  trace(1);
  ASSERT_EQ(history("add " + trace(1) + " --commit a --db good.sqlite").exit_code, 0);
  fs::copy(here() / "good.sqlite", here() / "damaged.sqlite");
  {
    std::fstream file(here() / "damaged.sqlite", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(100);
    file << std::string(4000, '\xff');
  }
  const auto before = fs::file_size(here() / "text.sqlite");
  for (const auto& [arguments, says] :
       {std::pair("", "history needs `add`, `show` or `plot`"), std::pair("show", "there is no history yet"),
        std::pair("add 10.zstall", "which commit was run?"), std::pair("show --db text.sqlite", "no SQLite database"),
        std::pair("add 10.zstall --commit a --db text.sqlite", "no SQLite database"),
        std::pair("show --db damaged.sqlite", "damaged"),
        std::pair("add 10.zstall --commit a --db damaged.sqlite", "damaged"),
        std::pair("show --db empty.sqlite", "empty.sqlite: no history of zerostall"),
        std::pair("add 10.zstall --commit a --db no/such/x.sqlite", "no/such/x.sqlite: cannot be opened"),
        std::pair("add none.zstall --commit a", "none.zstall"),
        std::pair("show --db good.sqlite --branch x", "nothing of branch x"),
        std::pair("show --db good.sqlite --metric wait", "is no count")}) {
    const ChildResult result = history(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments << result.out;
    EXPECT_THAT(result.err, HasSubstr(says)) << arguments;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
  EXPECT_EQ(fs::file_size(here() / "text.sqlite"), before);
}

TEST_F(HistoryCommand, ARunThatIsNoMeasureIsNotKept) {
  TraceBuilder t;
  t.item();
  t.write(here() / "unmarked.zstall");
  const ChildResult result = history("add unmarked.zstall --commit a");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, AllOf(HasSubstr("nothing added"), HasSubstr("no step is marked")));
  EXPECT_FALSE(fs::exists(here() / "zerostall-history.sqlite"));
}

}  // namespace
}  // namespace zerostall
