#include "profiler/base/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace zerostall {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::ptrdiff_t files_in(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

TEST(WriteFile, ReplacesAFileWholeAndLeavesNothingElse) {
  const auto folder = TempFolder::make();
  ASSERT_TRUE(folder);
  const fs::path path = folder->path() / "a.txt";
  ASSERT_TRUE(write_file(path, "old"));
  ASSERT_TRUE(write_file(path, "new"));
  EXPECT_EQ(content(path), "new");
  EXPECT_EQ(files_in(folder->path()), 1);
}

TEST(WriteFile, SaysWhyItFailedAndLeavesNoTemporaryFile) {
  const auto folder = TempFolder::make();
  ASSERT_TRUE(folder);
  fs::create_directory(folder->path() / "taken");
  const auto written = write_file(folder->path() / "taken", "x");  // a folder has that name
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("cannot write"));
  EXPECT_EQ(files_in(folder->path()), 1);
  EXPECT_FALSE(write_file(folder->path() / "no" / "such" / "folder", "x"));
}

TEST(MappedFile, GivesBytesAndRefusesWhatIsNoFile) {
  const auto folder = TempFolder::make();
  ASSERT_TRUE(folder);
  ASSERT_TRUE(write_file(folder->path() / "a", "abc"));
  ASSERT_TRUE(write_file(folder->path() / "empty", ""));
  const auto file = MappedFile::open(folder->path() / "a");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->bytes().size(), 3u);
  EXPECT_EQ(file->bytes()[1], std::byte{'b'});
  EXPECT_TRUE(MappedFile::open(folder->path() / "empty")->bytes().empty());
  EXPECT_THAT(MappedFile::open(folder->path()).error().message, HasSubstr("it is a folder"));
  EXPECT_THAT(MappedFile::open(folder->path() / "none").error().message, HasSubstr("No such file"));
  EXPECT_THAT(MappedFile::open("/dev/null").error().message, HasSubstr("not a regular file"));
}

TEST(TempFolder, IsGoneWithAllItHeld) {
  fs::path path;
  {
    const auto folder = TempFolder::make();
    ASSERT_TRUE(folder);
    path = folder->path();
    ASSERT_TRUE(write_file(path / "a", "abc"));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(WritableFolder, IsMadeOrRefused) {
  const auto folder = TempFolder::make();
  ASSERT_TRUE(folder);
  EXPECT_TRUE(make_writable_folder(folder->path() / "new" / "deep"));
  EXPECT_EQ(files_in(folder->path() / "new" / "deep"), 0);
  ASSERT_TRUE(write_file(folder->path() / "file", ""));
  EXPECT_FALSE(make_writable_folder(folder->path() / "file"));
  EXPECT_FALSE(make_writable_folder(folder->path() / "file" / "below"));
}

}  // namespace
}  // namespace zerostall
