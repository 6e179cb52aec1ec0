// End to end: a program is run with the tracer injected, and its trace must hold exactly what the program did, by the
// simulator's own book, which does not pass through CUPTI.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "profiler/analyze/steps.h"
#include "profiler/base/files.h"
#include "profiler/record/record.h"
#include "profiler/trace/api_table.h"
#include "profiler/trace/build_trace.h"
#include "profiler/trace/read_native.h"
#include "tests/faults/fault_count.h"

namespace zerostall {
namespace {

namespace fs = std::filesystem;

struct Traced {
  ChildResult child;
  bool has_trace = false;
  Trace trace;
  std::map<std::string, std::int64_t> in_trace, in_book;  // calls by name, recorded functions only
  std::vector<std::string> files;                         // what the run left behind
};

class TracerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/zerostall-tracer-XXXXXX";
    folder = mkdtemp(pattern);
  }
  void TearDown() override { fs::remove_all(folder); }

  Traced run(std::vector<std::string> argv) {
    RecordOptions options;
    options.argv = std::move(argv);
    options.trace_file = folder / "run.zstall";
    options.simulate = true;
    options.sim_log = folder / "book.json";
    SignalInbox inbox;
    const InstallPaths paths = paths_beside(BIN_DIR);
    // The tracer's own file, before record_run puts it in its place: what is written is under test here.
    auto child = run_child({options.argv, injection(options, paths, options.trace_file)}, inbox);
    if (!child) throw std::runtime_error(child.error().message);
    Traced t;
    t.child = *child;
    for (const auto& entry : fs::directory_iterator(folder)) t.files.push_back(entry.path().filename());
    std::sort(t.files.begin(), t.files.end());
    t.has_trace = fs::exists(options.trace_file);
    if (t.has_trace) {
      auto raw = read_native(options.trace_file);
      if (!raw) throw std::runtime_error(raw.error().message);
      t.trace = build_trace(std::move(*raw));
    }
    for (const Call& c : t.trace.calls) ++t.in_trace[std::string(t.trace.text(c.name))];
    if (std::ifstream file(options.sim_log); file) {
      const auto book = nlohmann::json::parse(file);
      for (const auto& [name, count] : book.at("calls").items())
        if (!find_api(name).name.empty()) t.in_book[name] = count;
    }
    return t;
  }

  fs::path folder;
};

TEST_F(TracerTest, RecordsEveryCallOnceAndTheStepsAroundThem) {
  const Traced t = run({SUBJECT, "steps"});
  ASSERT_EQ(t.child.exit_code, 0) << t.child.err;
  EXPECT_FALSE(t.trace.truncated);
  EXPECT_EQ(t.trace.meta.clock, Clock::modelled);
  EXPECT_EQ(t.in_trace.at("cudaStreamSynchronize"), 10);
  EXPECT_EQ(t.in_trace.at("cudaMemcpyAsync"), 10);
  EXPECT_EQ(t.in_trace, t.in_book);
  EXPECT_EQ(split_steps(t.trace).steps.size(), 5u);
  EXPECT_EQ(t.trace.gpu_ops.size(), 10u);
  for (const GpuOp& op : t.trace.gpu_ops) {
    EXPECT_NE(op.call, kNoIndex);
    EXPECT_EQ(op.source, MemoryKind::pageable);
    EXPECT_EQ(op.bytes, 512u);
  }
  EXPECT_EQ(t.child.err, "") << "nothing of ours on the user's terminal";
}

TEST_F(TracerTest, DescribesItsProcess) {
  ::setenv("RANK", "3", 1);
  ::setenv("LOCAL_RANK", "1", 1);
  ::setenv("WORLD_SIZE", "many", 1);
  const fs::path odd = folder / "quote \" back\\slash\nline \xff é";
  fs::copy_file(SUBJECT, odd);
  const Traced t = run({odd, "nvtx", "argument"});
  for (const char* name : {"RANK", "LOCAL_RANK", "WORLD_SIZE"}) ::unsetenv(name);
  ASSERT_EQ(t.child.exit_code, 0) << t.child.err;
  const TraceMeta& meta = t.trace.meta;
  EXPECT_EQ(meta.program, "quote \" back\\slash\nline ? é");
  EXPECT_EQ(meta.arguments, 2);
  EXPECT_GT(meta.pid.value_or(0), 0);
  EXPECT_EQ(meta.rank, 3);
  EXPECT_EQ(meta.local_rank, 1);
  EXPECT_EQ(meta.world_size, std::nullopt);
  EXPECT_EQ(t.trace.oddities.count("unreadable_meta"), 0u);
}

TEST_F(TracerTest, CountsOfManyThreadsEqualTheSimulatorsBook) {
  const Traced t = run({SUBJECT, "threads"});
  ASSERT_EQ(t.child.exit_code, 0) << t.child.err;
  EXPECT_EQ(t.in_trace.at("cudaStreamSynchronize"), 4000);
  EXPECT_EQ(t.in_trace, t.in_book);
  EXPECT_EQ(t.trace.threads.size(), 4u);
  EXPECT_EQ(t.trace.gpu_ops.size(), 4000u);
}

TEST_F(TracerTest, CallsOfStaticDestructorsCount) {
  const Traced t = run({SUBJECT, "late-calls"});
  ASSERT_EQ(t.child.exit_code, 0) << t.child.err;
  EXPECT_EQ(t.in_trace.at("cudaStreamSynchronize"), 701);
  EXPECT_EQ(t.in_trace, t.in_book);
  EXPECT_FALSE(t.trace.truncated);
}

TEST_F(TracerTest, AForkedChildDoesNotCount) {
  const Traced t = run({SUBJECT, "forked"});
  ASSERT_EQ(t.child.exit_code, 0) << t.child.err;
  EXPECT_EQ(t.in_trace.at("cudaStreamSynchronize"), 6);
  EXPECT_EQ(t.in_trace, t.in_book);
  EXPECT_FALSE(t.trace.truncated);
  EXPECT_THAT(t.files, ::testing::ElementsAre("book.json", "run.zstall"));
}

TEST_F(TracerTest, AKilledProcessLeavesAReadableTruncatedTrace) {
  const testing::FaultCount fault("program_killed", 1);
  const Traced t = run({SUBJECT, "killed"});
  EXPECT_EQ(t.child.exit_code, 128 + 9);
  ASSERT_TRUE(t.has_trace);
  EXPECT_TRUE(t.trace.truncated);
  EXPECT_GT(t.in_trace.at("cudaStreamSynchronize"), 500) << "all but the last unflushed records";
}

TEST_F(TracerTest, AKilledProcessThatMadeFewCallsKeepsMostOfThem) {
  const Traced t = run({SUBJECT, "slow-killed"});
  EXPECT_EQ(t.child.exit_code, 128 + 9);
  ASSERT_TRUE(t.has_trace);
  EXPECT_GE(t.in_trace.at("cudaStreamSynchronize"), 2);
}

TEST_F(TracerTest, AProcessThatLeavesWithoutExitHandlersKeepsAllCalls) {
  const Traced t = run({SUBJECT, "leaves-early"});
  EXPECT_EQ(t.child.exit_code, 3);
  ASSERT_TRUE(t.has_trace);
  EXPECT_TRUE(t.trace.truncated);
  EXPECT_EQ(split_steps(t.trace).steps.size(), 3u);
  EXPECT_EQ(t.in_trace.at("cudaStreamSynchronize"), 7);
}

TEST_F(TracerTest, AKilledProcessKeepsAllCalls) {
  const Traced t = run({SUBJECT, "marks"});
  ASSERT_TRUE(t.has_trace);
  EXPECT_EQ(split_steps(t.trace).steps.size(), 3u);
  EXPECT_EQ(t.in_trace.at("cudaStreamSynchronize"), 8);
}

// Python stopped by Ctrl-C: exit functions of Python run, those of C do not.
TEST_F(TracerTest, AStoppedPythonKeepsAllOfItsTrace) {
  if (std::system("python3 -c pass > /dev/null 2>&1") != 0) GTEST_SKIP() << "no python3";
  const Traced t = run({"python3", "-c",
                        "import ctypes, os, signal\n"
                        "cuda = ctypes.CDLL('libcudart.so.13')\n"
                        "for i in range(3): cuda.cudaDeviceSynchronize()\n"
                        "os.kill(os.getpid(), signal.SIGINT)\n"
                        "import time; time.sleep(10)\n"});
  EXPECT_EQ(t.child.exit_code, 128 + SIGINT) << t.child.err;
  ASSERT_TRUE(t.has_trace);
  EXPECT_EQ(t.in_trace.at("cudaDeviceSynchronize"), 3);
}

TEST_F(TracerTest, APlaceThatCannotHoldATraceIsNamedAndTheProgramRunsOn) {
  testing::FaultCount faults("trace_no_room");
  for (const std::string place : {"/no/such/folder/run.zstall", "/dev/full"}) {
    faults.next();
    SignalInbox inbox;
    RecordOptions options;
    options.simulate = true;
    const auto child = run_child({{SUBJECT, "steps"}, injection(options, paths_beside(BIN_DIR), place)}, inbox);
    ASSERT_TRUE(child);
    EXPECT_EQ(child->exit_code, 0);
    EXPECT_THAT(child->err, ::testing::StartsWith("[zerostall] tracing is off: ")) << place;
    EXPECT_THAT(child->err, ::testing::HasSubstr(place));
    EXPECT_EQ(std::count(child->err.begin(), child->err.end(), '\n'), 1) << child->err;
  }
}

TEST_F(TracerTest, AProcessWithoutCudaLeavesNoFile) {
  const Traced t = run({SUBJECT, "nothing"});
  EXPECT_EQ(t.child.exit_code, 0);
  EXPECT_EQ(t.child.out, "no CUDA here\n");
  EXPECT_THAT(t.files, ::testing::IsEmpty());
}

TEST_F(TracerTest, NvtxMarksRangesAndRegisteredStringsArriveEvenBeforeTheFirstCudaCall) {
  const Traced t = run({SUBJECT, "nvtx"});
  std::vector<std::string> found;
  for (const Range& r : t.trace.ranges)
    found.push_back(std::string(t.trace.text(r.domain)) + ":" + std::string(t.trace.text(r.text)) +
                    (r.instant ? " mark" : "") + (r.open ? " open" : ""));
  EXPECT_THAT(found, ::testing::ElementsAre(":instant mark", ":outer", "mine:registered"));
}

TEST_F(TracerTest, UnsupportedCallsAreListed) {
  const Traced t = run({SUBJECT, "unsupported"});
  ASSERT_EQ(t.trace.notes.size(), 1u);
  EXPECT_EQ(t.trace.notes[0].kind, NoteKind::unsupported_call);
  EXPECT_EQ(t.trace.text(t.trace.notes[0].text), "cudaDestroyExternalSemaphore");
  EXPECT_THAT(t.child.err, ::testing::HasSubstr("cudaDestroyExternalSemaphore is not supported"));
}

TEST_F(TracerTest, AnExistingFileIsNotOverwritten) {
  std::ofstream(folder / "run.zstall") << "precious";
  try {
    run({SUBJECT, "steps"});
    FAIL() << "the old file must still be there, and is no trace";
  } catch (const std::runtime_error&) {
  }
  std::string text;
  std::getline(std::ifstream(folder / "run.zstall") >> std::ws, text);
  EXPECT_EQ(text, "precious");
}

TEST_F(TracerTest, TheScenariosCountsEqualTheSimulatorsBook) {
  if (std::string(SCENARIO).empty()) GTEST_SKIP() << "built without torch";
  const Traced t = run({SCENARIO, "flux2", "--size", "tiny", "--steps", "4", "--device", "cuda"});
  ASSERT_EQ(t.child.exit_code, 0) << t.child.err;
  EXPECT_GT(t.in_trace.at("cudaStreamSynchronize"), 4 * 13);
  EXPECT_EQ(t.in_trace, t.in_book);
  std::int64_t work = 0;
  for (const auto& [name, count] : t.in_trace)
    if (name.find("Launch") != std::string::npos || name.starts_with("cudaMemcpy") || name.starts_with("cudaMemset"))
      work += count;
  EXPECT_EQ(static_cast<std::int64_t>(t.trace.gpu_ops.size()), work)
      << "one GPU record for each launch, copy and memset";
}

}  // namespace
}  // namespace zerostall
