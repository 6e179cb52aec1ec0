#include "profiler/cli/outputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "profiler/base/files.h"

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kFormats[] = {"text", "md", "junit", "json"};

class OutputsTest : public ::testing::Test {
 protected:
  OutputsTest() : temporary_(std::move(*TempFolder::make())) {}

  fs::path path(const std::string& name) const { return temporary_.path() / name; }
  std::string out(const std::string& format, const std::string& name) const {
    return format + "=" + path(name).string();
  }
  void put(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }
  std::string get(const std::string& name) const {
    std::stringstream text;
    text << std::ifstream(path(name)).rdbuf();
    return text.str();
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(temporary_.path()), fs::directory_iterator()));
  }
  static Result<Outputs> make(std::vector<std::string> texts, std::vector<fs::path> inputs = {}) {
    return Outputs::make(texts, kFormats, inputs);
  }
  static std::string error(std::vector<std::string> texts, std::vector<fs::path> inputs = {}) {
    const auto made = make(std::move(texts), std::move(inputs));
    return made ? "no error" : made.error().message;
  }
  static std::string render(std::string_view format, bool to_file) {
    return std::string(format) + (to_file ? " file" : " terminal");
  }

  TempFolder temporary_;
};

TEST_F(OutputsTest, WritesEachFormatWhereItIsToGo) {
  const auto outputs = make({out("junit", "a.xml"), "md=-", out("json", "new/folder/a.json")});
  ASSERT_TRUE(outputs) << outputs.error().message;
  EXPECT_TRUE(outputs->has_standard_output());
  EXPECT_FALSE(fs::exists(path("a.xml"))) << "nothing is written before there is something to say";
  const auto standard_output = outputs->write(render);
  ASSERT_TRUE(standard_output);
  EXPECT_EQ(*standard_output, "md terminal");
  EXPECT_EQ(get("a.xml"), "junit file");
  EXPECT_EQ(get("new/folder/a.json"), "json file");
  EXPECT_EQ(entries(), 2u);
}

TEST_F(OutputsTest, ReplacesAFileAndKeepsAnEqualsSignInItsName) {
  put("a=b.xml", "old");
  const auto outputs = make({out("junit", "a=b.xml")});
  ASSERT_TRUE(outputs);
  EXPECT_FALSE(outputs->has_standard_output());
  ASSERT_TRUE(outputs->write(render));
  EXPECT_EQ(get("a=b.xml"), "junit file");
}

TEST_F(OutputsTest, AreEmptyWithoutTheOption) {
  const auto outputs = make({});
  ASSERT_TRUE(outputs);
  EXPECT_TRUE(outputs->empty());
  EXPECT_EQ(*outputs->write(render), "");
}

TEST_F(OutputsTest, RefuseWhatIsNoFormatWithWhatWasMeant) {
  EXPECT_EQ(error({"junti=a.xml"}),
            "--out: unknown format 'junti', did you mean 'junit'? Known: text, md, junit, json");
  EXPECT_EQ(error({"markdown=-"}), "--out: unknown format 'markdown', did you mean 'md'?");
  EXPECT_EQ(error({"xml=a.xml"}), "--out: unknown format 'xml', did you mean 'junit'?");
  EXPECT_EQ(error({"annotations=-"}), "--out: unknown format 'annotations'. Known: text, md, junit, json");
  EXPECT_THAT(error({"report.xml"}), StartsWith("--out: unknown format 'report.xml'"));
  EXPECT_THAT(error({"=a.xml"}), StartsWith("--out: unknown format ''"));
}

TEST_F(OutputsTest, RefuseAFormatWithoutAFile) {
  EXPECT_EQ(error({"junit"}), "--out junit: where to? junit=FILE, or junit=- for standard output");
  EXPECT_EQ(error({"junit="}), "--out junit: where to? junit=FILE, or junit=- for standard output");
}

TEST_F(OutputsTest, RefuseTwoForOnePlace) {
  EXPECT_EQ(error({"md=-", "json=-"}), "--out: md and json cannot both go to standard output");
  EXPECT_THAT(error({out("md", "a"), out("json", "a")}), HasSubstr("md and json cannot both go to "));
  EXPECT_THAT(error({out("md", "a"), out("json", "./x/../a")}), HasSubstr("cannot both go to "));
  put("a", "old");
  fs::create_symlink(path("a"), path("link"));
  EXPECT_THAT(error({out("md", "a"), out("json", "link")}), HasSubstr("cannot both go to "));
  EXPECT_EQ(error({out("md", "a"), out("md", "b")}), "no error");
}

TEST_F(OutputsTest, RefuseWhatCannotBeWrittenBeforeAnythingRuns) {
  EXPECT_THAT(error({out("md", "")}), HasSubstr("names a folder, not a file"));
  fs::create_directory(path("folder"));
  EXPECT_THAT(error({out("md", "folder")}), HasSubstr("it is a folder"));
  put("file", "");
  EXPECT_THAT(error({out("md", "file/a.md")}), StartsWith("--out md: "));
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(error({out("md", "pipe")}), HasSubstr("not a regular file"));
  // As /dev/stdout is: the link would be replaced.
  fs::create_symlink("/dev/null", path("stdout"));
  EXPECT_THAT(error({out("md", "stdout")}), HasSubstr("is not a regular file; - is standard output"));
  EXPECT_TRUE(fs::is_symlink(path("stdout")));
}

TEST_F(OutputsTest, RefuseWhatTheCommandReads) {
  put("run.zstall", "trace");
  EXPECT_THAT(error({out("json", "./run.zstall")}, {path("run.zstall")}), HasSubstr("is read by this command"));
  EXPECT_EQ(get("run.zstall"), "trace");
}

TEST_F(OutputsTest, LeaveAllFilesAsTheyWereWhereOneCannotBeWritten) {
  put("a.md", "old");
  fs::create_directory(path("gone"));
  const auto outputs = make({out("md", "a.md"), out("json", "gone/a.json")});
  ASSERT_TRUE(outputs);
  fs::remove(path("gone"));
  const auto written = outputs->write(render);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, StartsWith("--out json: cannot write "));
  EXPECT_EQ(get("a.md"), "old");
  EXPECT_EQ(entries(), 1u) << "no temporary file is left";
}

}  // namespace
}  // namespace zerostall::cli
