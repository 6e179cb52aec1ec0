// `record` from outside, with scripts in place of CUDA programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/cli/flux2_traces.h"
#include "tests/cli/installation.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Record : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(write_file(here.path("good.zstall"), trace_with(2, 1)));
    std::filesystem::create_directory(here.path("work"));
  }
  // In the folder "work"; $z is the command so far, $make leaves a good trace.
  ChildResult shell(const std::string& text) {
    return here.shell(
        "cd \"$here/work\"; export make='cp \"$here/good.zstall\" \"$ZEROSTALL_TRACE\"'; "
        "z=\"$zerostall record --device sim\"; " +
        text);
  }
  std::vector<std::string> files() const { return here.files_in("work"); }
  Installation here;
};

TEST_F(Record, LeavesATraceAndSaysWhatItCounted) {
  const ChildResult result = shell("exec $z -- sh -c \"$make; echo from the program; echo its error >&2\"");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "from the program\n");
  EXPECT_THAT(result.err, StartsWith(kSimulatedWarning + std::string("its error\n")));
  EXPECT_THAT(result.err, HasSubstr("zerostall: run.zstall · simulated H200 · 12 steps, first 2 not judged · 13 waits "
                                    "per step\n"));
  EXPECT_THAT(result.err, HasSubstr("2 per step  cudaMemcpyAsync 512 B host to device + cudaStreamSynchronize\n"));
  EXPECT_THAT(result.err, HasSubstr("zerostall: next: zerostall stat run.zstall\n"));
  EXPECT_THAT(files(), ElementsAre("run.zstall"));
}

TEST_F(Record, NeverOverwritesUnlessTheNameIsGiven) {
  shell("for i in 1 2 3; do $z --quiet -- sh -c \"$make\"; done; $z -o run-2.zstall -- sh -c \"$make\"");
  EXPECT_THAT(files(), ElementsAre("run-2.zstall", "run-3.zstall", "run.zstall"));
}

TEST_F(Record, RemovesWhatAKilledRecordingLeftButNotThatOfARunningOne) {
  shell("$z -- sh -c 'kill -9 $PPID'; true");
  EXPECT_EQ(here.files_in("work").size(), 1u);
  shell(
      "$z --quiet -o first.zstall -- sh -c \"sleep 2; $make\" & sleep 0.5; "
      "$z --quiet -o second.zstall -- sh -c \"$make\"; wait");
  EXPECT_THAT(files(), ElementsAre("first.zstall", "second.zstall"));
}

TEST_F(Record, QuietLeavesOnlyTheWarning) {
  EXPECT_EQ(shell("exec $z --quiet -- sh -c \"$make\"").err, kSimulatedWarning);
  EXPECT_EQ(shell("exec $z --quiet -- sh -c \"$make; exit 3\"").err, kSimulatedWarning);
}

TEST_F(Record, TheExitCodeIsTheCommandsOwn) {
  EXPECT_EQ(shell("exec $z -- sh -c \"$make; exit 17\"").exit_code, 17);
  const ChildResult killed = shell("exec $z -- sh -c \"$make; kill -SEGV \\$\\$\"");
  EXPECT_EQ(killed.exit_code, 139);
  EXPECT_THAT(killed.err, HasSubstr("the command was ended by signal 11 (exit code 139)"));
  EXPECT_THAT(files(), ElementsAre("run-2.zstall", "run.zstall"));  // what was counted until then is kept
}

TEST_F(Record, AStoppedCommandKeepsItsTrace) {
  const ChildResult result = shell("exec $z -- sh -c \"$make; kill -INT \\$PPID; exec sleep 30\"");
  EXPECT_EQ(result.exit_code, 128 + 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("run.zstall · simulated H200"), Not(HasSubstr("ended by signal"))));
  EXPECT_THAT(files(), ElementsAre("run.zstall"));
}

TEST_F(Record, SaysWhatTheCommandLeftRunning) {
  TraceBuilder t;
  t.item();
  t.closed = false;
  t.meta = R"({"clock": "modelled", "simulated_model": "h200", "pid": )" + std::to_string(::getpid()) + "}";
  ASSERT_TRUE(write_file(here.path("good.zstall"), t.bytes()));
  EXPECT_THAT(shell("exec $z -- sh -c \"$make\"").err,
              HasSubstr("zerostall: process-" + std::to_string(::getpid()) + " still runs; its trace goes on growing"));
}

TEST_F(Record, ACutTraceDoesNotReplaceAWholeOne) {
  const std::string whole = trace_with(2, 1);
  ASSERT_TRUE(write_file(here.path("cut.zstall"), whole.substr(0, whole.size() - 4)));
  const ChildResult result = shell(
      "$z --quiet -o a.zstall -- sh -c \"$make\"; "
      "exec $z -o a.zstall -- sh -c 'cp \"$here/cut.zstall\" \"$ZEROSTALL_TRACE\"'");
  EXPECT_THAT(result.err, HasSubstr("a.zstall was left as it is, since this recording is not complete"));
  EXPECT_THAT(result.err, HasSubstr("a-2.zstall · "));
  EXPECT_THAT(files(), ElementsAre("a-2.zstall", "a.zstall"));
}

TEST_F(Record, SeveralProcessesGiveAFolderThatStatReads) {
  const auto of_rank = [&](int rank, int uploads) {
    TraceBuilder t;
    t.meta = R"({"clock": "modelled", "simulated_model": "h200", "pid": 4711, "rank": )" + std::to_string(rank) + "}";
    for (int n = 0; n < 5; ++n)
      t.step(n, [&] {
        for (int i = 0; i < uploads; ++i) t.upload(64);
      });
    return t.bytes();
  };
  TraceBuilder launcher;  // only asked how many devices there are
  for (const auto& [name, bytes] : {std::pair("0", of_rank(0, 1)), {"1", of_rank(1, 3)}, {"x", launcher.bytes()}})
    ASSERT_TRUE(write_file(here.path(std::string("trace.") + name), bytes));
  const ChildResult result =
      shell("exec $z -- sh -c 'for i in 0 1 x; do cp \"$here/trace.$i\" \"$ZEROSTALL_TRACE.$i\"; done'");
  EXPECT_THAT(result.err, HasSubstr("run.zstall · simulated H200 · 2 processes"));
  EXPECT_THAT(result.err, HasSubstr("rank1 waits most:"));
  EXPECT_THAT(here.files_in("work/run.zstall"), ElementsAre("rank0.zstall", "rank1.zstall"));

  const ChildResult worst = shell("exec \"$zerostall\" stat");
  EXPECT_EQ(worst.err, "zerostall: showing run.zstall\n");
  EXPECT_THAT(worst.out, HasSubstr("run.zstall · 2 processes\n"));
  EXPECT_THAT(worst.out, HasSubstr("\nBelow: rank1.zstall\n"));
  EXPECT_THAT(shell("exec \"$zerostall\" stat run.zstall --rank 0").out, HasSubstr("\nBelow: rank0.zstall\n"));
  EXPECT_THAT(shell("exec \"$zerostall\" stat run.zstall/rank0.zstall").out, Not(HasSubstr("Below")));
  const ChildResult missing = shell("exec \"$zerostall\" stat --rank 2");
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.err, HasSubstr("no process of rank 2 in this recording; it has rank0.zstall, rank1.zstall"));
}

TEST_F(Record, SaysWhyThereIsNothingToCount) {
  const ChildResult plain = shell("exec $z -- true");
  EXPECT_EQ(plain.exit_code, 3);
  EXPECT_EQ(without_warning(plain.err), "zerostall: the command made no CUDA call, so there is nothing to count\n");
  EXPECT_THAT(shell("CUDA_VISIBLE_DEVICES= exec $z -- true").err, HasSubstr("CUDA_VISIBLE_DEVICES= hides every GPU"));
  EXPECT_THAT(shell("CUDA_VISIBLE_DEVICES=3 exec $z -- true").err,
              HasSubstr("CUDA_VISIBLE_DEVICES=3 names a GPU that is not simulated: unset it, or add --gpus 4"));
  EXPECT_EQ(shell("exec $z -- sh -c 'exit 5'").exit_code, 5);
  EXPECT_THAT(files(), ElementsAre());
}

TEST_F(Record, LooksWhetherTorchHasCuda) {
  const auto torch = [&](const std::string& version) {
    std::filesystem::create_directories(here.path("site/torch"));
    EXPECT_TRUE(write_file(here.path("site/torch/__init__.py"), "raise RuntimeError('imported')"));
    EXPECT_TRUE(write_file(here.path("site/torch/version.py"), version));
    return shell("PYTHONPATH=\"$here/site\" exec $z -- python3 -c pass").err;
  };
  if (shell("python3 -c pass").exit_code != 0) GTEST_SKIP() << "no python3";
  EXPECT_THAT(torch("__version__ = '2.11.0+cpu'\ncuda: Optional[str] = None\n"),
              HasSubstr("torch 2.11.0+cpu in " + here.path("site/torch").string() + " is built for the CPU only"));
  EXPECT_THAT(torch("__version__ = '2.11.0+cu130'\ncuda: Optional[str] = '13.0'\n"),
              HasSubstr("torch 2.11.0+cu130 has CUDA; does the program put its model and data on \"cuda\"?"));
}

TEST_F(Record, NamesACommandThatCannotRunBeforeAnythingElse) {
  ASSERT_TRUE(write_file(here.path("work/train.py"), "print(1)"));
  const auto error = [&](const std::string& command) {
    const ChildResult result = shell("exec $z -- " + command);
    EXPECT_EQ(result.exit_code, 4) << command;
    return result.err;
  };
  EXPECT_EQ(error("pyhton train.py"), "zerostall: command not found: pyhton\n");
  EXPECT_EQ(error("train.py"),
            "zerostall: command not found: train.py; a program of this folder is called ./train.py\n");
  EXPECT_THAT(error("./train.py"), HasSubstr("cannot run ./train.py: it is not executable; a Python script is run by "
                                             "`-- python ./train.py`"));
  EXPECT_THAT(error("./nothing"), HasSubstr("cannot run ./nothing: No such file"));
  EXPECT_THAT(files(), ElementsAre("train.py"));
}

TEST_F(Record, ReportsATracerThatCouldNotAttach) {
  TraceBuilder t;
  t.note(format::NoteKind::tool_problem, "another profiler is attached");
  ASSERT_TRUE(write_file(here.path("good.zstall"), t.bytes()));
  const ChildResult result = shell("exec $z -- sh -c \"$make\"");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.err, HasSubstr("zerostall: tracer: another profiler is attached\n"));
  EXPECT_THAT(result.err, HasSubstr("zerostall: nothing was recorded\n"));
}

TEST_F(Record, AFailedCommandIsToldWhatTheSimulatedGpuLacked) {
  ASSERT_TRUE(write_file(here.path("log"), R"({"calls": {"cudaMalloc": 1}, "unsupported": {"cudaA": 2, "cudaB": 1},
      "last_unsupported": "cudaB", "missing_device": 1, "unreal_readbacks": 3,
      "unreal_sites": [{"at": "train.py:31 in step", "bytes": 4, "count": 3, "range": "loss"}]})"));
  const ChildResult result =
      shell("exec $z -- sh -c \"$make; cp '$here/log' \\\"\\$ZEROSTALL_SIM_LOG/1.json\\\"; exit 1\"");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("the command ended with exit code 1\n"));
  EXPECT_THAT(result.err, HasSubstr("it asked for device 1, there is 1: record it with --gpus 2\n"));
  EXPECT_THAT(result.err, HasSubstr("does not support: cudaB (3 calls of 2 functions in all)\n"));
  EXPECT_THAT(result.err, HasSubstr("3 × 4 B at train.py:31 in step, in range 'loss'\n"));
  EXPECT_THAT(result.err,
              HasSubstr(R"({"reads": [{"at": "train.py:31", "bytes": 4, "value": 0.7, "type": "float32"}]})"));
}

TEST_F(Record, SaysWhetherSuppliedValuesWereTaken) {
  ASSERT_TRUE(write_file(here.path("work/v.json"), R"({"reads": [{"bytes": 4, "value": 1, "type": "int32"}]})"));
  const auto record = [&](const std::string& log) {
    EXPECT_TRUE(write_file(here.path("log"), log));
    return shell(
               "exec $z --sim-values v.json -- sh -c \"$make; cp '$here/log' \\\"\\$ZEROSTALL_SIM_LOG/1.json\\\"; exit "
               "1\"")
        .err;
  };
  const auto unused = HasSubstr("no read-back took a value from v.json");
  EXPECT_THAT(record("{}"), unused);
  EXPECT_THAT(record(R"({"supplied_readbacks": 3})"),
              AllOf(Not(unused), HasSubstr("3 read-backs got a value of --sim-values\n")));
}

TEST_F(Record, ACommandGivenAsOneWordIsExplained) {
  EXPECT_THAT(
      shell("exec $z -- 'true or false'").err,
      HasSubstr("'true or false' was given as one word; leave its quotes out, or run it by a shell: -- sh -c 'true or "
                "false'\n"));
}

TEST_F(Record, OptionsOfTheSimulatorReachTheProgram) {
  ASSERT_TRUE(write_file(here.path("work/values.json"), "{\"reads\": []}"));
  ASSERT_TRUE(write_file(here.path("work/bad.json"), "{\"reads\": [{\"bytes\": \"four\"}]}"));
  const ChildResult result = shell(
      "LD_PRELOAD= exec $z --gpus 3 --seed 5 --host-clock cpu --sim-values values.json -- "
      "sh -c 'env | grep -E \"^(ZEROSTALL_|TRITON|LD_)\" | sort'");
  for (const char* line :
       {"ZEROSTALL_SIMULATED=1\n", "ZEROSTALL_SIM_GPUS=3\n", "ZEROSTALL_SIM_SEED=5\n", "ZEROSTALL_SIM_HOST_CLOCK=cpu\n",
        "ZEROSTALL_SIM_MODEL=h200\n", "/work/values.json\n", "TRITON_LIBCUDA_PATH=", "ZEROSTALL_TRACE="})
    EXPECT_THAT(result.out, HasSubstr(line));
  EXPECT_THAT(shell("exec $z --sim-values none.json -- true").err, HasSubstr("--sim-values: "));
  EXPECT_EQ(shell("exec $z --sim-values none.json -- true").exit_code, 2);
  EXPECT_EQ(shell("exec $z --sim-values bad.json -- true").exit_code, 2);
}

TEST_F(Record, WithoutTracerNothingIsWrittenAndNothingIsMissed) {
  const ChildResult result =
      shell("exec $z --no-tracer -- sh -c 'echo ${ZEROSTALL_TRACE-none} ${CUDA_INJECTION64_PATH-none}'");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "none none\n");
  EXPECT_EQ(result.err, kSimulatedWarning);
  EXPECT_EQ(shell("exec $z --no-tracer -o a.zstall -- true").exit_code, 2);
  EXPECT_THAT(files(), ElementsAre());
}

TEST_F(Record, AutoDoesNotSimulateBesideABrokenGpu) {
  std::filesystem::create_directories(here.path("root/dev"));
  const std::string record = "ZEROSTALL_DEVICE_ROOT=\"$here/root\" exec \"$zerostall\" record -- sh -c \"$make\"";
  const ChildResult none = shell(record);
  if (none.err.find("simulated") == std::string::npos) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_EQ(none.exit_code, 0);
  ASSERT_TRUE(write_file(here.path("root/dev/nvidia0"), ""));
  const ChildResult broken = shell(record);
  EXPECT_EQ(broken.exit_code, 4);
  EXPECT_THAT(broken.err, AllOf(HasSubstr("there is a GPU ("), HasSubstr("--device sim")));
}

}  // namespace
}  // namespace zerostall
