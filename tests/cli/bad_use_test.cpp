// Wrong use, from outside: each gives one line that says what to do, the exit code of metrics.md, and leaves nothing
// behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cli/installation.h"
#include "tests/trace/trace_builder.h"

namespace zerostall {
namespace {

namespace fs = std::filesystem;
using namespace zerostall::testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class BadUse : public ::testing::Test {
 protected:
  // The error, after checking all that holds for every wrong use.
  std::string error(std::vector<std::string> arguments, int code) {
    const ChildResult result = here.run(std::move(arguments));
    EXPECT_EQ(result.exit_code, code) << result.out << result.err;
    EXPECT_EQ(result.out, "");
    const std::string said = without_warning(result.err);
    EXPECT_THAT(said, StartsWith("zerostall: "));
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
    EXPECT_THAT(here.files_in("tmp"), ElementsAre());
    return said;
  }
  std::string sim_error(std::vector<std::string> more, int code) {
    std::vector<std::string> arguments = {"verify", "flux2", "--size", "tiny", "--device", "sim"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return error(arguments, code);
  }

  Installation here;
};

TEST_F(BadUse, WrongCommandsAndOptions) {
  EXPECT_THAT(error({"verfy"}, 2), HasSubstr("did you mean 'verify'?"));
  EXPECT_THAT(error({"verify"}, 2), HasSubstr("needs a scenario"));
  EXPECT_THAT(error({"verify", "flux2", "--bathc", "2"}, 2), HasSubstr("--bathc"));
  EXPECT_THAT(error({"verify", "flux2", "--steps", "many"}, 2), HasSubstr("--steps"));
  EXPECT_THAT(error({"verify", "flux2", "--keep", ""}, 2), HasSubstr("--keep: the value is empty"));
  EXPECT_THAT(error({"record", "python", "train.py", "--lr", "3"}, 2),
              HasSubstr("the command stands behind `--`: zerostall record -- python train.py --lr 3"));
  EXPECT_THAT(error({"record", "--device", "sim", "python"}, 2), HasSubstr("zerostall record --device sim -- python"));
  EXPECT_THAT(error({"record"}, 2), HasSubstr("no command given: zerostall record -- python train.py"));
  EXPECT_THAT(error({"record", "--device", "sim", "--"}, 2), HasSubstr("no command given"));
  EXPECT_THAT(error({"record", "--gpus", "65", "--", "true"}, 2), HasSubstr("not in the range 1 to 64"));
  EXPECT_THAT(error({"record", "--gpus", "0", "--", "true"}, 2), HasSubstr("not in the range 1 to 64"));
  EXPECT_THAT(error({"record", "--host-clock", "sun", "--", "true"}, 2), HasSubstr("--host-clock"));
  EXPECT_THAT(error({"doctor", "--device", "sim:h20"}, 2), HasSubstr("did you mean 'h200'?"));
}

TEST_F(BadUse, NoCommandShowsTheThreeToStartWith) {
  const ChildResult result = here.run({});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, "");
  EXPECT_LE(std::count(result.out.begin(), result.out.end(), '\n'), 10);
  for (const char* command : {"zerostall record -- python train.py", "zerostall stat", "zerostall verify flux2"})
    EXPECT_THAT(result.out, HasSubstr(command));
}

TEST_F(BadUse, StatWithoutATraceHere) {
  const ChildResult result = here.shell("cd \"$here/tmp\" && exec \"$zerostall\" stat");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("no run*.zstall in this folder"));
}

TEST_F(BadUse, UnknownNames) {
  EXPECT_THAT(error({"verify", "flux3"}, 2),
              HasSubstr("unknown scenario or preset 'flux3', did you mean 'flux2'? Known: flux2, ideogram4, ernie, "));
  EXPECT_THAT(sim_error({"--fix", "bn-pining"}, 2),
              HasSubstr("unknown fix 'bn-pining', did you mean 'bn-pinning'? Known: bn-pinning, "));
  EXPECT_THAT(error({"verify", "flux2", "--size", "klein9b"}, 2), HasSubstr("did you mean 'klein-9b'?"));
  EXPECT_THAT(error({"verify", "flux2", "--device", "tpu"}, 2), HasSubstr("use auto, gpu, sim or sim:MODEL"));
  EXPECT_THAT(error({"verify", "flux2", "--device", "sim:h20"}, 2),
              HasSubstr("unknown device model 'h20', did you mean 'h200'? Known: h200"));
  EXPECT_THAT(sim_error({"--sabotage", "nothing"}, 2), HasSubstr("unknown fix to sabotage 'nothing'"));
}

TEST_F(BadUse, StepsThatLeaveNothingToJudge) {
  EXPECT_THAT(sim_error({"--steps", "2"}, 2),
              HasSubstr("--steps 2 leaves no step to judge: the first 2 are warm-up; use --steps 5 or more"));
  EXPECT_THAT(sim_error({"--steps", "4", "--warmup", "2"}, 3), HasSubstr("use --steps 5 or more"));
  EXPECT_THAT(sim_error({"--sabotage", "bn-pinning@1"}, 2), HasSubstr("must be one of the judged ones, 2 to 11"));
}

TEST_F(BadUse, NoGpuWhereOneIsAskedFor) {
  // A machine with a GPU passes this test by running on it; the script then never calls CUDA.
  here.use_script("exit 0");
  const ChildResult result = here.run({"verify", "flux2", "--device", "gpu"});
  if (result.exit_code == 3) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.err, EndsWith(": use --device sim to run on the simulated GPU\n"));
}

TEST_F(BadUse, AnInstallationWithoutItsParts) {
  EXPECT_THAT(sim_error({}, 4), HasSubstr("the scenario program is missing"));
  here.use_script("exit 0");
  fs::remove(here.path("lib/zerostall/libzerostall_tracer.so"));
  EXPECT_THAT(sim_error({}, 4), HasSubstr("the tracer is missing from this installation"));
  fs::remove(here.path("lib/zerostall/simgpu/libzerostall_simgpu.so"));
  EXPECT_THAT(sim_error({}, 4), HasSubstr("the simulated GPU is not part of this installation"));
}

TEST_F(BadUse, AChildThatFails) {
  here.use_script("echo starting; echo 'CUDA error: out of memory' >&2; exit 9");
  EXPECT_THAT(sim_error({}, 4), HasSubstr("scenario.sh (no fix) exited with code 9: CUDA error: out of memory"));
  here.use_script("exit 9");
  EXPECT_THAT(sim_error({}, 4), HasSubstr("exited with code 9 and said nothing"));
}

TEST_F(BadUse, AChildThatCrashesLeavesNoTrace) {
  here.use_script("echo half > \"$ZEROSTALL_TRACE\"; echo 'step 3' >&2; kill -SEGV $$");
  const std::string message = sim_error({"--keep", here.path("kept").string()}, 4);
  EXPECT_THAT(message, HasSubstr("(no fix) was killed by signal 11 (code 139): step 3"));
  EXPECT_THAT(here.files_in("kept"), ElementsAre());
}

TEST_F(BadUse, AChildThatNeverCallsCuda) {
  here.use_script("exit 0");
  EXPECT_THAT(sim_error({}, 3), AllOf(HasSubstr("never called CUDA"), Not(HasSubstr("--device"))));
  const ChildResult json = here.run({"verify", "flux2", "--device", "sim", "--json"});
  EXPECT_EQ(json.exit_code, 3);
  EXPECT_THAT(json.out, HasSubstr("\"verdict\": \"cannot-tell\""));
}

TEST_F(BadUse, ATracerThatLeavesGarbageOrCouldNotAttach) {
  here.use_script("echo garbage > \"$ZEROSTALL_TRACE\"");
  EXPECT_THAT(sim_error({}, 4), HasSubstr("the tracer left a trace that cannot be read"));
  TraceBuilder t;
  t.note(format::NoteKind::tool_problem, "another profiler is attached");
  here.use_traces({{"none", t.bytes()}});
  EXPECT_THAT(sim_error({}, 4), HasSubstr("the tracer could not attach: another profiler is attached"));
}

TEST_F(BadUse, AFolderThatCannotBeWritten) {
  here.use_script("touch \"$(dirname \"$0\")/ran\"");
  ASSERT_TRUE(write_file(here.path("file"), ""));
  EXPECT_THAT(sim_error({"--keep", here.path("file").string()}, 2), HasSubstr("--keep: cannot "));
  EXPECT_THAT(sim_error({"--keep", "/proc/nothing"}, 2), HasSubstr("--keep: cannot "));
  EXPECT_FALSE(fs::exists(here.path("ran")));  // found out before anything was run
}

TEST_F(BadUse, EndsWithTheCodeOfTheSignal) {
  for (const auto& [name, code] : std::map<std::string, int>{{"INT", 130}, {"TERM", 143}, {"HUP", 129}}) {
    here.use_script("echo half > \"$ZEROSTALL_TRACE\"; kill -" + name + " $PPID; sleep 30");
    EXPECT_THAT(sim_error({}, code), HasSubstr("interrupted")) << name;
  }
}

TEST_F(BadUse, InterruptionKillsTheChildAndLeavesNothing) {
  here.use_script("echo half > \"$ZEROSTALL_TRACE\"; kill -INT $PPID; sleep 30; touch \"$(dirname \"$0\")/survived\"");
  EXPECT_THAT(sim_error({"--keep", here.path("kept").string()}, 130), HasSubstr("interrupted"));
  EXPECT_THAT(here.files_in("kept"), ElementsAre());
  EXPECT_THAT(sim_error({}, 130), HasSubstr("interrupted"));
  EXPECT_FALSE(fs::exists(here.path("survived")));
}

TEST_F(BadUse, FilesThatAreNoTrace) {
  ASSERT_TRUE(write_file(here.path("text"), "hello"));
  ASSERT_TRUE(write_file(here.path("empty"), ""));
  EXPECT_THAT(error({"stat", here.path("text").string()}, 2), HasSubstr("of no format known here"));
  EXPECT_THAT(error({"stat", here.path("empty").string()}, 2), HasSubstr("is empty"));
  EXPECT_THAT(error({"stat", here.path("none").string()}, 2), HasSubstr("No such file"));
  EXPECT_THAT(error({"stat", here.path("tmp").string()}, 2), HasSubstr("is a folder without traces"));
  EXPECT_THAT(error({"stat", here.path("text").string(), "--step-pattern", "("}, 2),
              HasSubstr("not a regular expression"));
}

TEST_F(BadUse, ATraceWithoutWhatWasAskedFor) {
  TraceBuilder t;
  t.step(0, [] {});
  t.write(here.path("idle.zstall"));
  ChildResult result = here.run({"stat", here.path("idle.zstall").string()});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("holds no CUDA call"));
  TraceBuilder plain;
  plain.launch();
  plain.write(here.path("plain.zstall"));
  EXPECT_EQ(here.run({"stat", here.path("plain.zstall").string()}).exit_code, 0);
  result = here.run({"stat", here.path("plain.zstall").string(), "--step-pattern", "^epoch"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("no NVTX range or mark in"));
}

TEST_F(BadUse, ATruncatedTraceIsShownAsSuch) {
  TraceBuilder t;
  t.step(0, [&] { t.item(); });
  const std::string whole = t.bytes();
  ASSERT_TRUE(write_file(here.path("cut.zstall"), whole.substr(0, whole.size() - 4)));
  const ChildResult result = here.run({"stat", here.path("cut.zstall").string()});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("the trace is cut off"));
}

}  // namespace
}  // namespace zerostall
