#include "profiler/base/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <stdexcept>

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

TEST(NewFile, HasItsNameOnlyWhenItIsFinished) {
  const auto folder = TempFolder::make();
  ASSERT_TRUE(folder);
  const fs::path path = folder->path() / "a.txt";
  ASSERT_TRUE(write_file(path, "old"));
  {
    auto file = NewFile::make(path);
    ASSERT_TRUE(file);
    EXPECT_TRUE(file->write("half"));
    EXPECT_EQ(content(path), "old");
    EXPECT_EQ(files_in(folder->path()), 2);
  }
  EXPECT_EQ(content(path), "old");
  EXPECT_EQ(files_in(folder->path()), 1);
  auto file = NewFile::make(path);
  ASSERT_TRUE(file);
  NewFile moved = std::move(*file);
  EXPECT_TRUE(moved.write("wh"));
  EXPECT_TRUE(moved.write("ole"));
  ASSERT_TRUE(moved.finish());
  EXPECT_EQ(content(path), "whole");
  EXPECT_EQ(files_in(folder->path()), 1);
}

TEST(NewFile, SaysWhyItCannotGetItsName) {
  const auto folder = TempFolder::make();
  ASSERT_TRUE(folder);
  auto file = NewFile::make(folder->path() / "taken");
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->write("x"));
  fs::create_directory(folder->path() / "taken");
  const auto finished = file->finish();
  ASSERT_FALSE(finished);
  EXPECT_THAT(finished.error().message, HasSubstr("cannot write"));
  { NewFile gone = std::move(*file); }
  EXPECT_EQ(files_in(folder->path()), 1);
  EXPECT_FALSE(NewFile::make(folder->path() / "no" / "folder" / "x"));
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

TEST(TempFolder, LivesInAFolderThatExists) {
  const auto outer = TempFolder::make();
  ASSERT_TRUE(outer);
  {
    const auto inner = TempFolder::make_in(outer->path());
    ASSERT_TRUE(inner);
    EXPECT_EQ(inner->path().parent_path(), outer->path());
    ASSERT_TRUE(write_file(inner->path() / "a", "abc"));
  }
  EXPECT_EQ(files_in(outer->path()), 0);
  EXPECT_THAT(TempFolder::make_in(outer->path() / "none").error().message, HasSubstr("No such file"));
}

TEST(TempFolder, OfAKilledOwnerStaysWhereItHoldsWork) {
  const auto outer = TempFolder::make();
  const auto make_and_leave = [&](const std::string& file) {
    auto left = TempFolder::make_in(outer->path(), true);
    EXPECT_TRUE(write_file(left->path() / file, "x"));
    left->leave();
    const std::size_t kept = kept_folders(outer->path()).size();
    EXPECT_EQ(kept, file == "trace" ? 0u : 1u) << "the owner of this one lives";
    return left->path();
  };
  const fs::path with_work = make_and_leave("trace"), empty = make_and_leave(".attendance");
  const auto next = TempFolder::make_in(outer->path());
  EXPECT_EQ(kept_folders(outer->path()), std::vector<fs::path>{with_work});
  EXPECT_FALSE(fs::exists(empty));
}

TEST(TempFolder, TakesAnEmptyTmpdirForUnset) {
  const char* before = std::getenv("TMPDIR");
  const std::string old = before == nullptr ? "" : before;
  ::setenv("TMPDIR", "", 1);
  EXPECT_TRUE(TempFolder::make());
  ::setenv("TMPDIR", "/no/such/folder", 1);
  EXPECT_THAT(TempFolder::make().error().message, HasSubstr("/no/such/folder: No such file or directory): set TMPDIR"));
  before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", old.c_str(), 1);
}

// What `act` says when another user than root does it; root may do anything.
std::string as_nobody(const std::function<Result<Done>()>& act) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return "no pipe";
  const pid_t pid = ::fork();
  if (pid == 0) {
    std::string said = "done";
    try {
      if (::geteuid() == 0 && ::setuid(65534) != 0) throw std::runtime_error("cannot become another user");
      if (const auto result = act(); !result) said = result.error().message;
    } catch (const std::exception& problem) {
      said = std::string("thrown: ") + problem.what();
    }
    [[maybe_unused]] const ssize_t told = ::write(ends[1], said.data(), said.size());
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string said(4096, '\0');
  const ssize_t n = ::read(ends[0], said.data(), said.size());
  ::close(ends[0]);
  ::waitpid(pid, nullptr, 0);
  said.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return said;
}

TEST(WritableFolder, IsRefusedInOneLineWhereWeMayNotEvenLook) {
  const auto folder = TempFolder::make();  // only its owner may enter it
  ASSERT_TRUE(folder);
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make a folder that this test may not enter";
  EXPECT_THAT(as_nobody([&] { return make_writable_folder(folder->path() / "x"); }), HasSubstr("Permission denied"));
  EXPECT_THAT(as_nobody([&] { return make_writable_folder(folder->path()); }), HasSubstr("Permission denied"));
  EXPECT_THAT(as_nobody([&] { return check_replaceable(folder->path() / "x"); }), HasSubstr("Permission denied"));
}

TEST(Replaceable, IsNothingAFileOrALink) {
  const auto folder = TempFolder::make();
  ASSERT_TRUE(folder);
  ASSERT_TRUE(write_file(folder->path() / "file", "x"));
  fs::create_symlink("nowhere", folder->path() / "link");
  fs::create_directory(folder->path() / "folder");
  ASSERT_EQ(::mkfifo((folder->path() / "pipe").c_str(), 0600), 0);
  for (const char* name : {"none", "file", "link"}) EXPECT_TRUE(check_replaceable(folder->path() / name)) << name;
  EXPECT_THAT(check_replaceable(folder->path() / "folder").error().message, HasSubstr("it is a folder"));
  EXPECT_THAT(check_replaceable(folder->path() / "pipe").error().message, HasSubstr("not a regular file"));
  EXPECT_EQ(content(folder->path() / "file"), "x");
}

TEST(Replaceable, IsNotAnothersFileInAStickyFolder) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs two users";
  const auto folder = TempFolder::make();
  ASSERT_TRUE(folder);
  ASSERT_TRUE(write_file(folder->path() / "roots", "x"));
  ASSERT_EQ(::chmod(folder->path().c_str(), 01777), 0);
  EXPECT_THAT(as_nobody([&] { return check_replaceable(folder->path() / "roots"); }), HasSubstr("another user"));
  EXPECT_EQ(as_nobody([&] { return check_replaceable(folder->path() / "new"); }), "done");
  EXPECT_TRUE(check_replaceable(folder->path() / "roots"));
}

TEST(MoveFile, ReplacesOrLeavesBothAsTheyWere) {
  const auto folder = TempFolder::make();
  ASSERT_TRUE(folder);
  ASSERT_TRUE(write_file(folder->path() / "a", "new"));
  ASSERT_TRUE(write_file(folder->path() / "b", "old"));
  fs::create_directory(folder->path() / "folder");
  EXPECT_THAT(move_file(folder->path() / "a", folder->path() / "folder").error().message, HasSubstr("cannot write "));
  EXPECT_EQ(content(folder->path() / "a"), "new");
  EXPECT_TRUE(move_file(folder->path() / "a", folder->path() / "b"));
  EXPECT_EQ(content(folder->path() / "b"), "new");
  EXPECT_EQ(files_in(folder->path()), 2);
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
