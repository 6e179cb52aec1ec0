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
  EXPECT_THAT(result.out, HasSubstr("missing  simulated device  a program does not see it (exit code 4)"));
  EXPECT_THAT(result.out, HasSubstr("\n--device sim:h200 does not work\n"));
}

TEST(Doctor, SaysWhatToDoAboutAMissingPart) {
  Installation here;
  std::filesystem::remove(here.path("lib/zerostall/libzerostall_tracer.so"));
  const ChildResult result = here.run({"doctor", "--device", "sim"});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.out, HasSubstr("missing  tracer "));
  EXPECT_THAT(result.out, HasSubstr("is not there: build it with ./dev build\n"));
}

}  // namespace
}  // namespace zerostall
