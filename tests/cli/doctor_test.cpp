// `doctor` on a copy of the installation whose libraries are empty.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/installation.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using ::testing::HasSubstr;

TEST(Doctor, SaysWhatDoesNotWork) {
  Installation here;
  const ChildResult result = here.run({"doctor", "--device", "sim"});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, HasSubstr("ok       tracer "));
  EXPECT_THAT(result.out, HasSubstr("problem  simulated device  a program does not see it (exit code 4)"));
  EXPECT_THAT(result.out, HasSubstr("\nrecording with --device sim:h200 does not work here\n"));
}

TEST(Doctor, SaysWhatToDoAboutAMissingPart) {
  Installation here;
  std::filesystem::remove(here.path("lib/zerostall/libzerostall_tracer.so"));
  const ChildResult result = here.run({"doctor", "--device", "sim"});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.out, HasSubstr("problem  tracer "));
  EXPECT_THAT(result.out, HasSubstr("is not there\n                           to do: build it with ./dev build"));
}

TEST(Doctor, LooksAtThePythonThatIsNamed) {
  Installation here;
  const ChildResult wrong = here.run({"doctor", "--python", "/nowhere/python"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--python /nowhere/python: no such program"));
}

// A GPU that is there and has no driver: recording works, simulated; with --device gpu it does not.
TEST(Doctor, SaysWhatWorksBesideABrokenGpu) {
  Installation here;
  const ChildResult broken = here.shell(
      "cd \"$here\" && mkdir -p root/dev && : > root/dev/nvidia0 && ZEROSTALL_DEVICE_ROOT=$PWD/root exec "
      "\"$zerostall\" "
      "doctor --device gpu");
  EXPECT_EQ(broken.exit_code, 4);
  EXPECT_THAT(broken.out, HasSubstr("problem  GPU               there is one"));
  EXPECT_THAT(broken.out, HasSubstr("problem  driver            no NVIDIA kernel module"));
  EXPECT_THAT(broken.out, HasSubstr("recording with --device gpu does not work here\n"));
}

}  // namespace
}  // namespace zerostall
