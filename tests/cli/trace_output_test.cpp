#include "profiler/cli/trace_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class TraceOutputTest : public ::testing::Test {
 protected:
  TraceOutput make(const std::string& name) {
    auto made = TraceOutput::make((folder.path() / name).string());
    return std::move(std::get<TraceOutput>(made));
  }
  FinishedTrace finished(const TraceOutput& output, const std::string& name, const std::string& content) {
    const fs::path file = output.growing().string() + "." + content;
    EXPECT_TRUE(write_file(file, content));
    return {file, name};
  }
  static std::string content(const fs::path& file) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }
  std::vector<std::string> names(const fs::path& below = {}) const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder.path() / below))
      found.push_back(entry.path().filename().string());
    return found;
  }
  TempFolder folder = std::move(*TempFolder::make());
};

TEST_F(TraceOutputTest, ReplacesWhatIsNamedOnlyByAWholeTrace) {
  for (const auto& [text, whole] : {std::pair("first", true), {"cut", false}, {"second", true}}) {
    const auto output = make("a.zstall");
    const auto placed = output.place({finished(output, "process-1", text)}, whole);
    ASSERT_TRUE(placed) << placed.error().message;
  }
  EXPECT_THAT(names(), UnorderedElementsAre("a.zstall", "a-2.zstall"));
  EXPECT_EQ(content(folder.path() / "a.zstall"), "second");
  EXPECT_EQ(content(folder.path() / "a-2.zstall"), "cut");
}

TEST_F(TraceOutputTest, SeveralProcessesBecomeAFolderAndEachKeepsItsTrace) {
  for (int run = 0; run < 2; ++run) {  // the second replaces the folder of the first
    const auto output = make("all.zstall");
    const auto placed = output.place({finished(output, "rank0", "zero"), finished(output, "rank0", "helper"),
                                      finished(output, "process-7", "seven")},
                                     true);
    ASSERT_TRUE(placed) << placed.error().message;
  }
  EXPECT_THAT(names(), UnorderedElementsAre("all.zstall"));
  EXPECT_THAT(names("all.zstall"), UnorderedElementsAre("rank0.zstall", "rank0-2.zstall", "process-7.zstall"));
  EXPECT_EQ(content(folder.path() / "all.zstall" / "rank0.zstall"), "zero");
  const auto output = make("all.zstall");
  ASSERT_TRUE(output.place({finished(output, "process-1", "one")}, true));  // a file instead of the folder
  EXPECT_EQ(content(folder.path() / "all.zstall"), "one");
}

TEST_F(TraceOutputTest, MakesTheFolderOfItsTarget) {
  const auto output = make("new/deep/a.zstall");
  ASSERT_TRUE(output.place({finished(output, "process-1", "x")}, true));
  EXPECT_EQ(content(folder.path() / "new/deep/a.zstall"), "x");
}

TEST_F(TraceOutputTest, RefusesWhatIsNotItsOwnBeforeAnythingRuns) {
  fs::create_directories(folder.path() / "photos");
  ASSERT_TRUE(write_file(folder.path() / "photos" / "cat.jpg", ""));
  for (const std::string& name : {(folder.path() / "photos").string(), std::string("/proc/nothing/a.zstall")}) {
    const auto made = TraceOutput::make(name);
    ASSERT_TRUE(std::holds_alternative<Outcome>(made)) << name;
    EXPECT_EQ(std::get<Outcome>(made).code, ExitCode::bad_use);
    EXPECT_THAT(std::get<Outcome>(made).error, HasSubstr("-o: cannot "));
  }
  EXPECT_THAT(names(), UnorderedElementsAre("photos"));
}

TEST_F(TraceOutputTest, LeavesNothingWithoutATrace) {
  {
    const auto output = make("a.zstall");
    finished(output, "x", "half-written");
    EXPECT_EQ(output.found().size(), 1u);
  }
  EXPECT_THAT(names(), UnorderedElementsAre());
}

}  // namespace
}  // namespace zerostall::cli
