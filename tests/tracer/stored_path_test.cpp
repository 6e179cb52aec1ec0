#include "profiler/tracer/stored_path.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace zerostall::tracer {
namespace {

namespace fs = std::filesystem;

PathRoots alice() {
  return {"/home/alice/proj/run", "/home/alice/proj", "/home/alice/.pyenv/versions/3.11.7", {"/home/alice"}, {"alice"}};
}

TEST(StoredPath, PackagesAreToldFromTheirRoot) {
  EXPECT_EQ(stored_path("/home/alice/venv/lib/python3.11/site-packages/torch/nn/x.py", alice()),
            "site-packages/torch/nn/x.py");
  EXPECT_EQ(stored_path("/usr/lib/python3/dist-packages/numpy/a.py", alice()), "dist-packages/numpy/a.py");
  // A virtual environment inside the repository is a package all the same.
  EXPECT_EQ(stored_path("/home/alice/proj/venv/lib/python3.11/site-packages/torch/lib/libtorch_cuda.so", alice()),
            "site-packages/torch/lib/libtorch_cuda.so");
}

TEST(StoredPath, PythonsOwnFilesAreToldFromItsPrefix) {
  EXPECT_EQ(stored_path("/home/alice/.pyenv/versions/3.11.7/lib/python3.11/threading.py", alice()),
            "lib/python3.11/threading.py");
  EXPECT_EQ(stored_path("/usr/lib/python3.13t/threading.py", alice()), "lib/python3.13t/threading.py");
  EXPECT_EQ(stored_path("/home/alice/.pyenv/versions/3.11.7/lib/libpython3.11.so.1.0", alice()),
            "lib/libpython3.11.so.1.0");
  EXPECT_EQ(stored_path("/home/bob/lib/python3.x/a.py", alice()), "a.py");
}

TEST(StoredPath, OwnFilesAreToldFromTheRepository) {
  EXPECT_EQ(stored_path("/home/alice/proj/src/train.py", alice()), "src/train.py");
  EXPECT_EQ(stored_path("/home/alice/proj/run/./../src//train.py", alice()), "src/train.py");
  EXPECT_EQ(stored_path("train.py", alice()), "run/train.py");
  PathRoots no_repository = alice();
  no_repository.repository.clear();
  EXPECT_EQ(stored_path("/home/alice/proj/run/train.py", no_repository), "train.py");
  EXPECT_EQ(stored_path("/home/alice/proj/train.py", no_repository), "train.py");  // outside: its name alone
}

TEST(StoredPath, SystemFilesStayAbsolute) {
  EXPECT_EQ(stored_path("/usr/lib/x86_64-linux-gnu/libc.so.6", alice()), "/usr/lib/x86_64-linux-gnu/libc.so.6");
  EXPECT_EQ(stored_path("/opt/conda/lib/libstdc++.so.6", alice()), "/opt/conda/lib/libstdc++.so.6");
  EXPECT_EQ(stored_path("/usr/local/home/alice/lib.so", alice()), "lib.so");
  PathRoots home_in_opt = alice();
  home_in_opt.homes = {"/opt/people/alice"};
  home_in_opt.users.clear();
  EXPECT_EQ(stored_path("/opt/people/alice/lib.so", home_in_opt), "lib.so");
}

TEST(StoredPath, EverythingElseIsItsNameAlone) {
  for (const char* path : {"/home/bob/secret/model.py", "/root/secret/model.py", "/tmp/alice/model.py",
                           "/data/users/alice/model.py", "../../../bob/model.py", "/home/alice/proj/alice/model.py"})
    EXPECT_EQ(stored_path(path, alice()), "model.py") << path;
  EXPECT_EQ(stored_path("model.py", PathRoots{}), "model.py");
  EXPECT_EQ(stored_path("a/b/model.py", PathRoots{}), "model.py");
}

TEST(StoredPath, WhatIsNoPathStays) {
  EXPECT_EQ(stored_path("<string>", alice()), "<string>");
  EXPECT_EQ(stored_path("<frozen importlib._bootstrap>", alice()), "<frozen importlib._bootstrap>");
  EXPECT_EQ(stored_path("", alice()), "");
  EXPECT_EQ(stored_path("<template /home/alice/page.html>", alice()), "page.html>");
}

class StoredPathOnDisk : public testing::Test {
 protected:
  StoredPathOnDisk() {
    char name[] = "/tmp/stored_path_XXXXXX";
    folder_ = fs::canonical(mkdtemp(name));
    before_ = fs::current_path();
    setenv("HOME", (folder_ / "people/alice").c_str(), 1);
    setenv("USER", "alice", 1);
    fs::create_directories(folder_ / "people/alice/proj/.git");
    fs::create_directories(folder_ / "people/alice/proj/sub");
    fs::create_directories(folder_ / "people/alice/other/.git");
    fs::create_directories(folder_ / "people/alice/other/src");
    fs::create_directory_symlink(folder_ / "people/alice/proj", folder_ / "link");
    std::ofstream(folder_ / "people/alice/proj/sub/train.py") << "\n";
  }
  ~StoredPathOnDisk() override {
    fs::current_path(before_);
    fs::remove_all(folder_);
  }
  std::string from(const char* working, const char* path) {
    fs::current_path(folder_ / working);
    return stored_path((folder_ / path).string(), find_path_roots());
  }
  fs::path folder_, before_;
};

TEST_F(StoredPathOnDisk, FindsTheRepositoryAboveTheWorkingFolder) {
  EXPECT_EQ(from("people/alice/proj/sub", "people/alice/proj/sub/train.py"), "sub/train.py");
  EXPECT_EQ(from("people/alice/proj/sub", "people/alice/proj/train.py"), "train.py");
}

TEST_F(StoredPathOnDisk, TellsAnotherRepositoryByItsFolder) {
  EXPECT_EQ(from("people/alice/proj", "people/alice/other/src/model.py"), "other/src/model.py");
}

TEST_F(StoredPathOnDisk, FollowsLinks) { EXPECT_EQ(from("people/alice/proj", "link/sub/train.py"), "sub/train.py"); }

TEST_F(StoredPathOnDisk, AFolderAboveTheHomeIsNoRoot) {
  for (const char* working : {".", "people"}) {
    fs::create_directories(folder_ / "people/alice/plain");
    EXPECT_EQ(from(working, "people/alice/plain/train.py"), "train.py") << working;
    EXPECT_EQ(from(working, "people/alice/proj/sub/train.py"), "proj/sub/train.py") << working;  // its own repository
  }
}

TEST_F(StoredPathOnDisk, ARepositoryThatIsTheHomeDoesNotTellItsName) {
  fs::create_directories(folder_ / "people/alice/.git");
  fs::create_directories(folder_ / "people/alice/plain");
  EXPECT_EQ(from(".", "people/alice/plain/train.py"), "plain/train.py");
  EXPECT_EQ(from("people/alice/plain", "people/alice/plain/train.py"), "plain/train.py");
}

}  // namespace
}  // namespace zerostall::tracer
