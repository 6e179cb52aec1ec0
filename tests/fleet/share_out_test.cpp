#include "profiler/fleet/share_out.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "profiler/base/files.h"

namespace zerostall::fleet {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using Seen = std::vector<SeenFile>;

bool by_path(const fs::path& a, const fs::path& b) { return a < b; }

SeenFile file(const std::string& path, std::uint64_t size, std::uint64_t hash = 1) { return {0, path, size, hash}; }

std::vector<std::size_t> processes(const std::vector<SharedFile>& files) {
  std::vector<std::size_t> all;
  for (const SharedFile& one : files) all.push_back(one.process);
  return all;
}

std::vector<std::string> names(const std::vector<SharedFile>& files) {
  std::vector<std::string> all;
  for (const SharedFile& one : files) all.push_back(one.name);
  return all;
}

TEST(ShareOut, WhatAllSeeGoesToTheOneWithLeastToRead) {
  const Seen all = {file("d/a", 9000000), file("d/b", 1000000), file("d/c", 5000000), file("d/d", 4000000)};
  const std::vector<Seen> seen = {all, all};
  const auto files = share_out(seen, by_path);
  EXPECT_THAT(processes(files), ElementsAre(0, 0, 1, 1));  // 9 MB here, 5 and 4 there; the last to the one with fewer
  EXPECT_THAT(names(files), ElementsAre("a", "b", "c", "d"));
}

TEST(ShareOut, WhatOneSeesStaysThereAndCountsForTheRest) {
  const std::vector<Seen> seen = {{file("d/a", 9000000), file("d/s", 100)}, {file("d/b", 10), file("d/s", 100)}};
  EXPECT_THAT(processes(share_out(seen, by_path)), ElementsAre(0, 1, 1));
}

TEST(ShareOut, OnePathWithTwoContentsIsTwoFiles) {
  const std::vector<Seen> seen = {{file("d/rank0", 10, 1)}, {file("d/rank0", 10, 2)}, {file("d/rank0", 11, 1)}};
  const auto files = share_out(seen, by_path);
  EXPECT_THAT(processes(files), ElementsAre(0, 1, 2));
  EXPECT_THAT(names(files), ElementsAre("d/rank0 (of process 0)", "d/rank0 (of process 1)", "d/rank0 (of process 2)"));
}

TEST(ShareOut, FilesCalledAlikeInTwoFoldersAreToldByPath) {
  const std::vector<Seen> seen = {{file("x/rank0", 10), file("y/rank0", 10)}};
  EXPECT_THAT(names(share_out(seen, by_path)), ElementsAre("x/rank0", "y/rank0"));
}

TEST(ShareOut, ArgumentsComeInTheirOrder) {
  const std::vector<Seen> seen = {{{1, "a", 5, 1}}, {{0, "z", 5, 1}, {1, "a", 5, 1}}};
  EXPECT_THAT(names(share_out(seen, by_path)), ElementsAre("z", "a"));
}

// Every file once, and no process with more than one file above another.
TEST(ShareOut, OfManyFilesIsEven) {
  Seen all;
  for (int i = 0; i < 256; ++i)
    all.push_back(file("d/" + std::to_string(1000 + i), 1000000 + static_cast<std::uint64_t>(i * 7919 % 500) * 1000));
  const std::vector<Seen> seen(5, all);
  std::map<std::size_t, std::uint64_t> load;
  const auto files = share_out(seen, by_path);
  ASSERT_EQ(files.size(), 256u);
  for (const SharedFile& one : files) load[one.process] += one.file.size;
  for (const auto& [process, bytes] : load) EXPECT_NEAR(double(bytes), double(load[0]), 1.5e6);
  EXPECT_EQ(load.size(), 5u);
}

TEST(ShareOut, BothEndsTellFilesApart) {
  const auto folder = TempFolder::make();
  const auto look = [&](const std::string& content) {
    EXPECT_TRUE(write_file(folder->path() / "f", content));
    return look_at(folder->path() / "f", 0);
  };
  std::string content(300000, 'a');
  const SeenFile first = look(content);
  EXPECT_EQ(first.size, 300000u);
  EXPECT_EQ(look(content), first);
  for (const std::size_t at : {std::size_t{0}, std::size_t{299999}}) {
    std::string changed = content;
    changed[at] = 'b';
    EXPECT_NE(look(changed).ends_hash, first.ends_hash);
  }
  EXPECT_NE(look("a").ends_hash, look("b").ends_hash);
  EXPECT_EQ(look_at(folder->path() / "none", 3), (SeenFile{3, (folder->path() / "none").string(), 0, 0}));
}

}  // namespace
}  // namespace zerostall::fleet
