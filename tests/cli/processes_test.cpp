#include "profiler/cli/processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/base/files.h"

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Traces : public ::testing::Test {
 protected:
  void put(const std::string& name, int age_s = 0) {
    const fs::path path = folder.path() / name;
    ASSERT_TRUE(write_file(path, ""));
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::seconds(age_s));
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    const auto found = trace_files(folder.path());
    for (const fs::path& file : *found) names.push_back(file.filename().string());
    return names;
  }
  TempFolder folder = std::move(*TempFolder::make());
};

TEST_F(Traces, OfAFolderStandInOrderOfRank) {
  for (const char* name : {"rank10.zstall", "rank2.zstall", "process-7.zstall", "notes.txt", "rank2-2.zstall"})
    put(name);
  EXPECT_THAT(files(), ElementsAre("rank2.zstall", "rank2-2.zstall", "rank10.zstall", "process-7.zstall"));
}

TEST_F(Traces, OfHostsFollowThoseOfRanks) {
  for (const char* name :
       {"host10-rank0.zstall", "process-7.zstall", "host2-rank1.zstall", "host2-rank0.zstall", "rank3.zstall"})
    put(name);
  EXPECT_THAT(files(), ElementsAre("rank3.zstall", "host2-rank0.zstall", "host2-rank1.zstall", "host10-rank0.zstall",
                                   "process-7.zstall"));
}

// As in the hidden folder of a recording.
TEST_F(Traces, ThatGrowAreKnownByTheirFirstBytes) {
  for (const char* name : {"trace", "trace.17", ".attendance", "log"})
    ASSERT_TRUE(write_file(folder.path() / name, std::string(name).starts_with("trace") ? "ZSTALL\r\n..." : "text"));
  fs::create_directory(folder.path() / "logs");
  EXPECT_THAT(files(), ElementsAre("trace", "trace.17"));
}

TEST_F(Traces, AFileStandsForItselfAndAnEmptyFolderForNothing) {
  EXPECT_EQ(trace_files("/no/such.zstall")->front(), fs::path("/no/such.zstall"));
  EXPECT_THAT(trace_files(folder.path()).error().message, HasSubstr("is a folder without traces"));
}

TEST_F(Traces, TheNewestRunIsFound) {
  EXPECT_FALSE(newest_trace(folder.path()));
  put("run.zstall", 300);
  put("run-2.zstall", 100);
  put("run-3.zstall", 200);
  put("other.zstall");
  put("run.log");
  EXPECT_EQ(newest_trace(folder.path())->filename(), "run-2.zstall");
}

TEST(ProcessName, IsTheRankWhereThereIsOne) {
  TraceMeta meta;
  EXPECT_EQ(process_name(meta), "process");
  meta.pid = 4711;
  EXPECT_EQ(process_name(meta), "process-4711");
  meta.local_rank = 1;
  EXPECT_EQ(process_name(meta), "rank1");
  meta.host_number = 2;
  EXPECT_EQ(process_name(meta), "host2-rank1") << "local ranks of two hosts are no ranks of the job";
  meta.rank = 9;
  EXPECT_EQ(process_name(meta), "rank9");
}

TEST(WorstProcess, WaitsMostPerStepAndThenInAll) {
  std::vector<NamedRun> runs(3);
  runs[0].summary.totals[Counter::waits] = 100;
  for (const std::size_t i : {1u, 2u}) {
    Counters step;
    step[Counter::waits] = static_cast<std::int64_t>(i);
    runs[i].summary.per_step = spreads_of(std::vector{step});
  }
  EXPECT_EQ(worst_process(runs), 2u);
  runs.resize(1);
  EXPECT_EQ(worst_process(runs), 0u);
}

}  // namespace
}  // namespace zerostall::cli
