// `zerostall stat` on files of other tools, as a user would call it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "profiler/base/files.h"
#include "tests/cli/program.h"

namespace zerostall {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::run_program;

std::string data(const std::string& name) { return std::string(ZEROSTALL_SOURCE_DIR) + "/tests/data/kineto/" + name; }

ChildResult stat(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "stat");
  return run_program(ZEROSTALL_PROGRAM, std::move(arguments));
}

// The one line of a refusal; the test fails where there is more, or output.
std::string refusal(const std::string& file, int code = 2) {
  const ChildResult result = stat({file});
  EXPECT_EQ(result.exit_code, code) << result.out << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  return result.err;
}

TEST(StatImport, ShowsStepsOfAPyTorchTrace) {
  const ChildResult result = stat({data("steps.json"), "--warmup", "0", "--verbose"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(
      result.out,
      AllOf(HasSubstr("NVIDIA A100 · 3 steps (from the profiler's annotations)"),
            HasSubstr("cudaMemcpyAsync 4096 B host to device + cudaStreamSynchronize       3                 1")));
}

TEST(StatImport, JsonSaysWhatTheFileIsAndHolds) {
  const json stat_json = json::parse(stat({data("steps.json"), "--json"}).out);
  EXPECT_EQ(stat_json["source"]["format"], "kineto");
  EXPECT_EQ(stat_json["source"]["tool"], "PyTorch profiler, CUPTI 18");
  EXPECT_EQ(stat_json["source"]["clock"], "measured");
  EXPECT_EQ(stat_json["contents"]["cuda_runtime"], 16);
  EXPECT_EQ(stat_json["steps"].size(), 3u);
}

TEST(StatImport, VerboseTellsWhatTheFileHolds) {
  EXPECT_THAT(stat({data("graphs.json"), "--verbose"}).out, HasSubstr("cuda_sync: Stream Sync       1"));
}

TEST(StatImport, SeveralProcessesOfOneFileAreShownSideBySide) {
  const std::string out = stat({data("processes.json")}).out;
  EXPECT_THAT(out, AllOf(HasSubstr("process-10"), HasSubstr("process-20"), HasSubstr("Below: process-")));
}

TEST(StatImport, AFolderOfRanksIsOneRecording) {
  const auto folder = TempFolder::make();
  for (const char* name : {"rank0.pt.trace.json", "rank1.json"}) fs::copy(data("steps.json"), folder->path() / name);
  EXPECT_TRUE(write_file(folder->path() / "settings.json", "{}"));
  EXPECT_THAT(stat({folder->path().string()}).out, AllOf(HasSubstr("2 processes"), HasSubstr("rank1.json")));
}

TEST(StatImport, ReadsFromAPipe) {
  const auto folder = TempFolder::make();
  const fs::path pipe = folder->path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] {
    const std::string command = "cat '" + data("steps.json") + "' > '" + pipe.string() + "'";
    EXPECT_EQ(std::system(command.c_str()), 0);
  });
  const ChildResult result = stat({pipe.string()});
  writer.join();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("3 steps"));
}

TEST(StatImport, WhatIsCutOffIsShownAndSaidToBe) {
  const auto folder = TempFolder::make();
  const fs::path cut = folder->path() / "cut.json";
  fs::copy(data("steps.json"), cut);
  fs::resize_file(cut, 3000);
  const ChildResult result = stat({cut.string()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("the trace is cut off at byte 2"));
}

TEST(StatImport, FilesThatPeopleTryAreToldWhatToDo) {
  const auto folder = TempFolder::make();
  const auto with = [&](const std::string& name, const std::string& bytes) {
    EXPECT_TRUE(write_file(folder->path() / name, bytes));
    return (folder->path() / name).string();
  };
  EXPECT_THAT(refusal(with("empty.json", "")), HasSubstr("empty.json is empty"));
  EXPECT_THAT(refusal(with("report.nsys-rep", "\x01\x02")), HasSubstr("nsys export --type sqlite report.nsys-rep"));
  EXPECT_THAT(refusal(with("t.json.zst", "\x28\xb5\x2f\xfd rest")), HasSubstr("compressed with zstd"));
  EXPECT_THAT(refusal(with("t.zip", "PK\x03\x04 rest")), HasSubstr("zip archive"));
  EXPECT_THAT(refusal(with("notes.txt", "hello")),
              AllOf(HasSubstr("of no format known here"), HasSubstr("PyTorch profiler"), HasSubstr("Nsight Systems")));
  EXPECT_THAT(refusal(with("et.json", R"({"schema": "1.0", "nodes": []})")), HasSubstr("execution trace"));
  EXPECT_THAT(refusal(with("t.gz", "\x1f\x8b not gzip")), HasSubstr("damaged from its beginning on"));
  EXPECT_THAT(refusal(with("db.sqlite", "SQLite format 3")), HasSubstr("db.sqlite"));
  EXPECT_THAT(refusal((folder->path() / "missing.json").string()), HasSubstr("No such file"));
  EXPECT_THAT(refusal("/dev/null"), HasSubstr("/dev/null"));
}

TEST(StatImport, ATraceWithoutCudaCallsCannotTell) {
  const auto folder = TempFolder::make();
  const fs::path path = folder->path() / "cpu.json";
  ASSERT_TRUE(write_file(path, R"([{"ph":"X","cat":"cpu_op","name":"aten::add","pid":1,"tid":1,"ts":1,"dur":1}])"));
  EXPECT_EQ(stat({path.string()}).exit_code, 3);
}

}  // namespace
}  // namespace zerostall
