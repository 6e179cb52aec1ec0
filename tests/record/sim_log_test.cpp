#include "profiler/record/sim_log.h"

#include <gtest/gtest.h>

#include "profiler/base/files.h"
#include "profiler/record/manifest.h"

namespace zerostall {
namespace {

class SimLogs : public ::testing::Test {
 protected:
  void put(const std::string& name, const std::string& text) { ASSERT_TRUE(write_file(folder.path() / name, text)); }
  TempFolder folder = std::move(*TempFolder::make());
};

TEST_F(SimLogs, AreAddedUpOverProcesses) {
  put("1.json", R"({"calls": {"cudaMalloc": 2}, "unsupported": {"cudaA": 1}, "last_unsupported": "cudaA",
                    "unreal_readbacks": 3,
                    "unreal_sites": [{"at": "train.py:31 in step", "bytes": 4, "count": 3, "range": "loss"}]})");
  put("2.json", R"({"calls": {"cudaMalloc": 1, "cudaFree": 1}, "unsupported": {}, "last_unsupported": null,
                    "unreal_readbacks": 9, "missing_device": 1,
                    "unreal_sites": [{"where": "/a/b.py:7 in f", "file": "/a/b.py", "line": 7, "bytes": 8, "count": 8},
                                     {"at": "train.py:31 in step", "bytes": 4, "count": 1, "range": "loss"}]})");
  const SimLog log = read_sim_logs(folder.path());
  EXPECT_TRUE(log.found);
  EXPECT_EQ(log.calls.at("cudaMalloc"), 3);
  EXPECT_EQ(log.last_unsupported, "cudaA");
  EXPECT_EQ(log.unreal_readbacks, 12);
  EXPECT_EQ(log.missing_device, 1);
  ASSERT_EQ(log.unreal_sites.size(), 2u);
  EXPECT_EQ(log.unreal_sites[0].at, "/a/b.py:7 in f");  // the most frequent first
  EXPECT_EQ(log.unreal_sites[0].match, "b.py:7");
  EXPECT_EQ(log.unreal_sites[1].count, 4);
  EXPECT_EQ(log.unreal_sites[1].match, "train.py:31");
  EXPECT_EQ(log.unreal_sites[1].range, "loss");
}

TEST_F(SimLogs, ThatAreDamagedOrMissingCountAsEmpty) {
  EXPECT_FALSE(read_sim_logs("/no/such/folder").found);
  put("1.json", "{\"calls\": {");
  put("2.json", "[1, 2]");
  EXPECT_FALSE(read_sim_logs(folder.path()).found);
  put("3.json", R"({"calls": 7, "unreal_sites": [3, {"bytes": "x"}], "unsupported": {"cudaA": "many"}})");
  const SimLog log = read_sim_logs(folder.path());
  EXPECT_TRUE(log.found);
  EXPECT_TRUE(log.calls.empty());
  EXPECT_TRUE(log.unsupported.empty());
}

TEST_F(SimLogs, TheManifestIsReadAsFarAsItIsThere) {
  EXPECT_TRUE(read_manifest(folder.path() / "manifest.json").empty());
  put("manifest.json", R"({"libraries": [{"name": "libcudart", "modelled": 120, "accepted": 30, "unsupported": 158},
                                         {"modelled": 1}, 5, {"name": "libcuda"}]})");
  const auto libraries = read_manifest(folder.path() / "manifest.json");
  ASSERT_EQ(libraries.size(), 2u);
  EXPECT_EQ(libraries[0].name, "libcudart");
  EXPECT_EQ(libraries[0].unsupported, 158);
  EXPECT_EQ(libraries[1].modelled, 0);
}

}  // namespace
}  // namespace zerostall
