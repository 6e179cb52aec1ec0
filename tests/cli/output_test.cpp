// Output that cannot be written, and signals as a shell sends them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/flux2_traces.h"
#include "tests/cli/installation.h"
#include "tests/faults/fault_count.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using ::testing::HasSubstr;

class Output : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(write_file(here.path("t.zstall"), good_traces().at("none")));
    here.use_traces(good_traces());
  }
  Installation here;
};

TEST_F(Output, IsNeverLostInSilence) {
  FaultCount faults("stdout_full");
  for (const char* command : {"stat \"$here/t.zstall\" --json", "stat \"$here/t.zstall\"", "--help", "--version",
                              "verify --list", "verify flux2 --device sim --json"}) {
    const std::string run = std::string("\"$zerostall\" ") + command;
    faults.next(2);
    const ChildResult full = here.shell(run + " > /dev/full");
    EXPECT_EQ(full.exit_code, 4) << command;
    EXPECT_EQ(without_warning(full.err), "zerostall: cannot write to standard output: No space left on device\n")
        << command;
    const ChildResult closed = here.shell(run + " >&-");
    EXPECT_EQ(closed.exit_code, 4) << command;
    EXPECT_THAT(closed.err, HasSubstr("cannot write to standard output: Bad file descriptor")) << command;
  }
}

TEST_F(Output, AReaderThatHasGoneIsNoticedWhereSigpipeIsIgnored) {
  const ChildResult result = here.shell(
      "trap '' PIPE; { sleep 0.2; \"$zerostall\" stat \"$here/t.zstall\" --json; echo code $? >&2; } | true");
  EXPECT_EQ(result.err, "zerostall: cannot write to standard output: Broken pipe\ncode 4\n");
}

TEST_F(Output, AnIgnoredSignalDoesNotStopVerify) {
  for (const char* name : {"HUP", "INT", "TERM"}) {
    here.use_traces(good_traces());
    const auto script = MappedFile::open(here.path("scenario.sh"));
    ASSERT_TRUE(script);
    here.use_script(std::string("kill -") + name + " $PPID\n" +
                    std::string(reinterpret_cast<const char*>(script->bytes().data()), script->bytes().size()));
    const std::string verify = "\"$zerostall\" verify flux2 --device sim";
    EXPECT_EQ(here.shell(std::string("trap '' ") + name + "; " + verify).exit_code, 0) << name;
    EXPECT_GT(here.shell(verify).exit_code, 128) << name;
  }
}

}  // namespace
}  // namespace zerostall
