// `verify --keep`: what is in the folder afterwards, whatever happened.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/flux2_traces.h"
#include "tests/cli/installation.h"

namespace zerostall {
namespace {

namespace fs = std::filesystem;
using namespace zerostall::testing;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kVerify = "\"$zerostall\" verify flux2 --size tiny --device sim --keep \"$here/kept\"";

class Keep : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directory(here.path("kept")); }

  ChildResult verify(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"verify",   "flux2", "--size", "tiny",
                                          "--device", "sim",   "--keep", here.path("kept").string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return here.run(std::move(arguments));
  }
  std::string content(const std::string& name) const {
    const auto file = MappedFile::open(here.path(name));
    if (!file) return file.error().message;
    return {reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()};
  }
  // Every failure leaves the old trace and nothing of its own.
  void expect_untouched() {
    EXPECT_THAT(here.files_in("kept"), ElementsAre("none.zstall"));
    EXPECT_EQ(content("kept/none.zstall"), "old");
  }
  void put_old_trace() { ASSERT_TRUE(write_file(here.path("kept/none.zstall"), "old")); }

  Installation here;
};

TEST_F(Keep, ReplacesOlderTracesWhenAllIsDone) {
  put_old_trace();
  here.use_traces(good_traces());
  EXPECT_EQ(verify().exit_code, 0);
  EXPECT_THAT(here.files_in("kept"),
              ElementsAre("async-loss.zstall", "bn-pinning+async-loss.zstall", "bn-pinning.zstall", "none.zstall"));
  EXPECT_EQ(content("kept/none.zstall"), good_traces().at("none"));
}

TEST_F(Keep, KeepsTheTracesOfAViolation) {
  auto traces = good_traces();
  traces["bn-pinning"] = trace_with(1, 1);
  here.use_traces(traces);
  EXPECT_EQ(verify().exit_code, 1);
  EXPECT_EQ(content("kept/bn-pinning.zstall"), traces["bn-pinning"]);
}

TEST_F(Keep, TwoAtOnceDoNotDisturbEachOther) {
  here.use_traces(good_traces());
  const std::string script = content("scenario.sh");
  // Grows in two parts, so that each meets the half-written traces of the other.
  here.use_script(script +
                  "\nmv \"$ZEROSTALL_TRACE\" \"$ZEROSTALL_TRACE.whole\"; head -c 100 "
                  "\"$ZEROSTALL_TRACE.whole\" > \"$ZEROSTALL_TRACE\"; sleep 0.1; "
                  "mv \"$ZEROSTALL_TRACE.whole\" \"$ZEROSTALL_TRACE\"");
  const std::string one = kVerify;
  const ChildResult result = here.shell(one + " & a=$!; sleep 0.05; " + one +
                                        " & b=$!; wait $a; a=$?; wait $b; b=$?; "
                                        "[ $a = 0 ] && [ $b = 0 ]");
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_EQ(here.files_in("kept").size(), 4u);
  for (const auto& [name, bytes] : good_traces()) EXPECT_EQ(content("kept/" + name + ".zstall"), bytes) << name;
}

TEST_F(Keep, AFailureLosesNothingOldAndLeavesNothingNew) {
  put_old_trace();
  for (const char* script : {"echo half > \"$ZEROSTALL_TRACE\"; exit 9",
                             "echo half > \"$ZEROSTALL_TRACE\"; kill -SEGV $$", "echo garbage > \"$ZEROSTALL_TRACE\"",
                             "exit 0", "echo half > \"$ZEROSTALL_TRACE\"; kill -TERM $PPID; sleep 30"}) {
    here.use_script(script);
    EXPECT_GE(verify().exit_code, 3) << script;
    expect_untouched();
  }
}

TEST_F(Keep, AFailureOfALaterSettingKeepsNothing) {
  put_old_trace();
  auto traces = good_traces();
  traces.erase("async-loss");  // the script fails where it has none
  here.use_traces(traces);
  EXPECT_EQ(verify().exit_code, 4);
  expect_untouched();
}

TEST_F(Keep, ACutTraceStopsTheRunNamesTheCauseAndKeepsNothing) {
  put_old_trace();
  const std::string whole = good_traces().at("none");
  ASSERT_TRUE(write_file(here.path("cut"), whole.substr(0, whole.size() - 4)));
  here.use_script(
      "echo run >> \"$here/runs\"; cp \"$here/cut\" \"$ZEROSTALL_TRACE\"; echo '[zerostall] the trace ends "
      "early: cannot write it: No space left on device' >&2; echo done >&2");
  const ChildResult result = verify();
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_THAT(result.out, HasSubstr("CANNOT TELL  no fix: the trace is cut off"));
  EXPECT_THAT(result.err, HasSubstr("zerostall: no fix: the trace ends early: cannot write it: No space left on device "
                                    "(traces grow in " +
                                    here.path("kept").string() + ")\n"));
  EXPECT_EQ(content("runs"), "run\n");
  expect_untouched();
}

TEST_F(Keep, ADiskThatHoldsNoTraceAtAllIsNamedToo) {
  put_old_trace();
  for (const char* trace : {"true", ": > \"$ZEROSTALL_TRACE\"", "head -c 20 \"$here/whole\" > \"$ZEROSTALL_TRACE\""}) {
    ASSERT_TRUE(write_file(here.path("whole"), good_traces().at("none")));
    here.use_script(std::string(trace) +
                    "; echo '[zerostall] tracing is off: cannot create x: No space left on device' >&2");
    const ChildResult result = verify();
    EXPECT_EQ(result.exit_code, 4) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr("no fix: tracing is off: cannot create x: No space left on device"));
    expect_untouched();
  }
}

// The real thing, on a file system of 64 KiB that only the shell sees and that goes with it.
TEST_F(Keep, AFullDiskLeavesNothing) {
  const std::string mount = "mount -t tmpfs -o size=64k tmpfs \"$here/kept\"";
  if (here.shell("unshare -m sh -c '" + mount + "'").exit_code != 0)
    GTEST_SKIP() << "cannot mount a small file system here";
  ASSERT_TRUE(write_file(here.path("whole"), trace_with(2, 1, -1, 0, 2000)));
  ASSERT_GT(fs::file_size(here.path("whole")), 64u * 1024);
  here.use_script(
      "cat \"$here/whole\" > \"$ZEROSTALL_TRACE\" 2> /dev/null || echo '[zerostall] the trace ends early: "
      "cannot write it: No space left on device' >&2");
  const ChildResult result = here.shell("unshare -m sh -c '" + mount + "; printf old > \"$here/kept/none.zstall\"; " +
                                        kVerify + "; code=$?; ls -A \"$here/kept\"; cat \"$here\"/kept/*; exit $code'");
  EXPECT_GE(result.exit_code, 3) << result.err;  // 4 where not even a CUDA call found room
  EXPECT_THAT(result.err, HasSubstr("No space left on device"));
  EXPECT_THAT(result.out, EndsWith("none.zstall\nold"));
  EXPECT_THAT(result.out, Not(HasSubstr("zerostall-")));
}

TEST_F(Keep, RefusesTargetsThatCannotBeReplacedBeforeAnythingRuns) {
  here.use_script("touch \"$here/ran\"");
  for (const char* name : {"none", "bn-pinning+async-loss"}) {
    fs::create_directory(here.path(std::string("kept/") + name + ".zstall"));
    const ChildResult result = verify();
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr(std::string(name) + ".zstall: it is a folder\n"));
    EXPECT_EQ(here.files_in("kept").size(), 1u);
    fs::remove(here.path(std::string("kept/") + name + ".zstall"));
  }
  EXPECT_FALSE(fs::exists(here.path("ran")));
}

TEST_F(Keep, ATargetThatCannotBeReplacedAtTheEndIsNamedBesideTheResult) {
  here.use_traces(good_traces());
  here.use_script(content("scenario.sh") + "\nmkdir -p \"$here/kept/none.zstall\"");
  const ChildResult result = verify();
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.out, HasSubstr("PASS"));
  EXPECT_THAT(result.err, HasSubstr("--keep: cannot write "));
  EXPECT_THAT(here.files_in("kept"), Not(::testing::Contains(HasSubstr(".zerostall-"))));
}

}  // namespace
}  // namespace zerostall
