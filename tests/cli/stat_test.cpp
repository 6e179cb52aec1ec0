#include "profiler/cli/stat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "profiler/base/files.h"
#include "tests/trace/trace_builder.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using ::testing::HasSubstr;
using ::testing::Not;

cli::Outcome stat_of(const std::string& file) {
  const auto folder = TempFolder::make();
  const auto path = folder->path() / "t.zstall";
  EXPECT_TRUE(write_file(path, file));
  cli::StatOptions options;
  options.files = {path.string()};
  return cli::run_stat(options);
}

std::string whole_file() {
  TraceBuilder t;
  t.step(0, [&] { t.item(); });
  return t.bytes();
}

TEST(Stat, DoesNotClaimAnUnusedGpuFromATraceThatCannotBeRead) {
  const std::string whole = whole_file();
  std::string flipped = whole;
  std::string::size_type at = 0;  // every segment is damaged
  while ((at = flipped.find("ZSEG", at)) != std::string::npos) {
    at += sizeof(format::SegmentHeader) + 1;
    flipped[at] = static_cast<char>(flipped[at] ^ 1);
  }
  for (const auto& [file, words] :
       {std::pair(whole.substr(0, 90), "is cut off at byte 90 and no CUDA call is readable"),
        std::pair(whole.substr(0, 130), "is cut off at byte 130 and"),
        std::pair(flipped, "is damaged at byte 128 (checksum) and")}) {
    const cli::Outcome outcome = stat_of(file);
    EXPECT_EQ(outcome.code, cli::ExitCode::cannot_tell);
    EXPECT_THAT(outcome.error, HasSubstr(words));
    EXPECT_THAT(outcome.error, HasSubstr("cannot tell whether the program used the GPU"));
    EXPECT_THAT(outcome.error, Not(HasSubstr("never used")));
  }
}

cli::Outcome stat_of_folder(const std::map<std::string, std::string>& files, bool json = false) {
  const auto folder = TempFolder::make();
  for (const auto& [name, bytes] : files) EXPECT_TRUE(write_file(folder->path() / name, bytes));
  cli::StatOptions options;
  options.files = {folder->path().string()};
  options.json = json;
  return cli::run_stat(options);
}

TEST(Stat, OfAFolderShowsWhatCanBeReadAndSaysWhatCannot) {
  const std::string whole = whole_file();
  const std::map<std::string, std::string> files = {{"rank0.zstall", whole},
                                                    {"rank1.zstall", whole.substr(0, whole.size() - 4)},
                                                    {"rank2.zstall", ""},
                                                    {"rank3.zstall", "not ours"},
                                                    {"notes.txt", "not looked at"}};
  const cli::Outcome text = stat_of_folder(files);
  EXPECT_EQ(text.code, cli::ExitCode::cannot_tell);
  EXPECT_THAT(text.error, HasSubstr("2 of 4 traces in "));
  EXPECT_THAT(text.error, HasSubstr("rank2.zstall is empty: nothing was recorded into it"));
  EXPECT_THAT(text.out, HasSubstr("rank1.zstall"));
  const auto json = nlohmann::json::parse(stat_of_folder(files, true).out);
  EXPECT_EQ(json["processes"].size(), 2u);
  EXPECT_EQ(json["processes"][1]["complete"], false);
  EXPECT_EQ(json["unreadable"].size(), 2u);
  EXPECT_EQ(json["unreadable"][1]["file"], "rank3.zstall");
}

TEST(Stat, OfAFolderWithNothingToReadFails) {
  EXPECT_EQ(stat_of_folder({}).code, cli::ExitCode::bad_use);
  EXPECT_EQ(stat_of_folder({{"a.txt", "x"}}).code, cli::ExitCode::bad_use);
  const cli::Outcome outcome = stat_of_folder({{"a.zstall", ""}, {"b.zstall", "x"}});
  EXPECT_EQ(outcome.code, cli::ExitCode::bad_use);
  EXPECT_THAT(outcome.error, HasSubstr("a.zstall is empty"));
  EXPECT_EQ(stat_of_folder({{"a.zstall", whole_file()}, {"a.txt", "x"}}).code, cli::ExitCode::ok);
}

TEST(Stat, TakesTheTracesOfAJobOneByOneAndFilesOfOneNameWithTheirFolders) {
  const auto folder = TempFolder::make();
  cli::StatOptions options;
  options.json = true;
  for (const char* host : {"a", "b"}) {
    std::filesystem::create_directory(folder->path() / host);
    const auto path = folder->path() / host / "t.zstall";
    ASSERT_TRUE(write_file(path, whole_file()));
    options.files.push_back(path.string());
  }
  options.files.push_back(options.files.front());  // named twice, there once
  const auto json = nlohmann::json::parse(cli::run_stat(options).out);
  ASSERT_EQ(json["processes"].size(), 2u);
  EXPECT_EQ(json["processes"][1]["file"], options.files[1]);
  options.files[1] = (folder->path() / "missing.zstall").string();
  const cli::Outcome missing = cli::run_stat(options);
  EXPECT_EQ(missing.code, cli::ExitCode::bad_use) << "named, not found in a folder";
  EXPECT_THAT(missing.error, HasSubstr("missing.zstall: No such file"));
}

TEST(Stat, BlamesTheTracerWhereItHadAProblem) {
  TraceBuilder t;
  t.note(format::NoteKind::tool_problem, "could not attach");
  EXPECT_THAT(stat_of(t.bytes()).error, HasSubstr("the tracer had a problem: could not attach"));
  EXPECT_THAT(stat_of(TraceBuilder().bytes()).error, HasSubstr("the program never used the GPU"));
}

TEST(Stat, TellsDamageFromACutInItsText) {
  std::string file = whole_file();
  const std::string cut = stat_of(file.substr(0, file.size() - 4)).out;
  EXPECT_THAT(cut, HasSubstr("the trace is cut off at byte"));
  const std::size_t in_marks = file.rfind("ZSEG") + sizeof(format::SegmentHeader) + 1;
  file[in_marks] = static_cast<char>(file[in_marks] ^ 1);
  EXPECT_THAT(stat_of(file).out, HasSubstr("(checksum)"));
}

}  // namespace
}  // namespace zerostall
