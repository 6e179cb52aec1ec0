#include "profiler/base/shown_path.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace zerostall {
namespace {

class ShownPath : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("HOME", "/srv/homes/alice", 1);
    ::setenv("USER", "alice", 1);
  }
};

TEST_F(ShownPath, HasNoHome) {
  EXPECT_EQ(shown_path("/srv/homes/alice/venv/bin/python"), "~/venv/bin/python");
  EXPECT_EQ(shown_path("/srv/homes/alice"), "~");
  EXPECT_EQ(shown_path("/srv/homes/bob/x"), "/srv/homes/bob/x");
  EXPECT_EQ(shown_path("/usr/lib/libcuda.so.1"), "/usr/lib/libcuda.so.1");
}

TEST_F(ShownPath, HasNoUser) {
  EXPECT_EQ(shown_path("/data/alice/venv"), "/data/.../venv");
  EXPECT_EQ(shown_path("/data/alice2/venv"), "/data/alice2/venv");
  ::setenv("USER", "root", 1);
  EXPECT_EQ(shown_path("/root/venv"), "/root/venv");
}

TEST_F(ShownPath, OfATextOnlyTheHomeIsTakenOut) {
  EXPECT_EQ(without_home("cannot read /srv/homes/alice/x: no"), "cannot read ~/x: no");
  EXPECT_EQ(without_home("PATH=/srv/homes/alice:/srv/homes/alice2"), "PATH=~:/srv/homes/alice2");
  ::setenv("HOME", "/", 1);
  EXPECT_EQ(without_home("/a/b"), "/a/b");
}

}  // namespace
}  // namespace zerostall
