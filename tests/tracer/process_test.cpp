// One trace per process that uses CUDA, whatever way it came to be, and none of any other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <thread>

#include "tests/faults/fault_count.h"
#include "tests/tracer/run_subject.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using ::testing::HasSubstr;

constexpr std::int64_t kWaitsOfSteps = 6;
constexpr const char* kWait = "cudaStreamSynchronize";

std::vector<std::int64_t> waits_of(const std::vector<LeftTrace>& traces) {
  std::vector<std::int64_t> waits;
  for (const LeftTrace& left : traces) waits.push_back(left.problem.empty() ? left.calls(kWait) : -1);
  return waits;
}

TEST(Processes, AHelperWithoutCudaLeavesNoFile) {
  SubjectRun subject;
  EXPECT_EQ(subject.run({SUBJECT, "nothing"}).exit_code, 0);
  EXPECT_TRUE(subject.traces().empty());
}

// Neither what it does nor its marks nor its exit handlers get into the parent's file, and CUDA answers as on a GPU.
TEST(Processes, AForkedChildIsNoPartOfItsParentsTrace) {
  const FaultCount fault("program_forks", 1);
  SubjectRun subject;
  const Ended ended = subject.run({SUBJECT, "fork-uses-cuda"});
  EXPECT_EQ(ended.exit_code, 3) << "cudaErrorInitializationError in the child" << ended.err;
  const LeftTrace left = subject.trace();
  EXPECT_FALSE(left.raw.truncated);
  EXPECT_EQ(left.calls(kWait), 8);
  EXPECT_FALSE(left.raw.strings.find("step 77")) << "a mark of the child";
}

TEST(Processes, AChildForkedBeforeTheDeviceWasUsedIsTraced) {
  const FaultCount fault("program_forks", 1);
  SubjectRun subject;
  const Ended ended = subject.run({SUBJECT, "fork-before-use"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  ASSERT_EQ(subject.progress().waits, 6u);
  std::int64_t seen = 0;
  for (const LeftTrace& left : subject.traces()) seen += left.calls(kWait);
  EXPECT_EQ(seen, kWaitsOfSteps);
}

TEST(Processes, MarksMadeBeforeAForkAreNotTheChilds) {
  const FaultCount fault("program_forks", 1);
  SubjectRun subject;
  const Ended ended = subject.run({SUBJECT, "fork-after-marks"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  const LeftTrace left = subject.trace();
  EXPECT_EQ(left.calls(kWait), kWaitsOfSteps);
  EXPECT_EQ(left.raw.marks.size(), 6u);
}

TEST(Processes, EachProgramOfAnExecChainKeepsItsTrace) {
  FaultCount faults("program_forks");
  for (const auto& [mode, programs] : {std::pair("exec-before", 1u), {"exec-after", 2u}, {"exec-chain", 3u}}) {
    faults.next();
    SubjectRun subject;
    const Ended ended = subject.run({SUBJECT, mode});
    EXPECT_EQ(ended.exit_code, 0) << mode << ended.err;
    EXPECT_EQ(ended.err, "") << mode;
    const auto traces = subject.traces();
    EXPECT_EQ(waits_of(traces), std::vector<std::int64_t>(programs, kWaitsOfSteps)) << mode;
    EXPECT_EQ(std::count_if(traces.begin(), traces.end(), [](auto& left) { return !left.raw.truncated; }), 1)
        << mode << ": the last one ends, the others were replaced";
  }
}

TEST(Processes, SpawnedOnesHaveTracesOfTheirOwn) {
  FaultCount faults("program_forks");
  for (const char* mode : {"spawn", "vfork"}) {
    faults.next();
    SubjectRun subject;
    EXPECT_EQ(subject.run({SUBJECT, mode}).exit_code, 7) << mode;
    const auto traces = subject.traces();
    EXPECT_EQ(waits_of(traces), (std::vector<std::int64_t>{kWaitsOfSteps, kWaitsOfSteps})) << mode;
    for (const LeftTrace& left : traces) EXPECT_FALSE(left.raw.truncated) << mode;
    ASSERT_EQ(traces.size(), 2u);
    EXPECT_NE(traces[0].raw.meta.pid, traces[1].raw.meta.pid) << mode;
  }
  SubjectRun helper;
  EXPECT_EQ(helper.run({SUBJECT, "helper-spawns"}).exit_code, 0);
  EXPECT_EQ(helper.trace().calls(kWait), kWaitsOfSteps);
}

TEST(Processes, OfPythonsMultiprocessingAreTracedUnlessForked) {
  const FaultCount fault("program_forks", 1);
  SubjectRun subject;
  if (std::system("python3 -c pass > /dev/null 2>&1") != 0) GTEST_SKIP() << "no python3";
  ASSERT_TRUE(write_file(subject.path("main.py"), R"(
import ctypes, multiprocessing, sys, threading
def work(): return ctypes.CDLL('libcudart.so.13').cudaDeviceSynchronize()
def child(expected): sys.exit(0 if work() == expected else 9)
if __name__ == '__main__':
    assert work() == 0
    thread = threading.Thread(target=work); thread.start(); thread.join()
    for method, expected in (('fork', 3), ('spawn', 0)):
        process = multiprocessing.get_context(method).Process(target=child, args=(expected,))
        process.start(); process.join()
        assert process.exitcode == 0, (method, process.exitcode)
)"));
  const Ended ended = subject.run({"python3", subject.path("main.py")});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  std::map<std::string, std::int64_t> calls;
  for (const LeftTrace& left : subject.traces()) {
    EXPECT_FALSE(left.raw.truncated);
    calls[left.raw.meta.script] = left.calls("cudaDeviceSynchronize");
  }
  EXPECT_EQ(calls, (std::map<std::string, std::int64_t>{{"main.py", 2}, {"-c", 1}}));
}

TEST(Processes, ADaemonIsTracedToItsEnd) {
  const FaultCount fault("program_forks", 1);
  SubjectRun subject;
  EXPECT_EQ(subject.run({SUBJECT, "daemon"}).exit_code, 0);
  std::vector<LeftTrace> traces;
  for (int i = 0; i < 1000; ++i) {
    traces = subject.traces();
    if (traces.size() == 1 && traces[0].problem.empty() && !traces[0].raw.truncated) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(waits_of(traces), std::vector<std::int64_t>{kWaitsOfSteps});
}

TEST(Processes, SayTheirPlaceInTheJob) {
  SubjectRun subject;
  subject.run({SUBJECT, "normal", "--token", "value"},
              {{"RANK", "3"}, {"LOCAL_RANK", "1"}, {"WORLD_SIZE", "many"}, {"GROUP_RANK", "1"}});
  const TraceMeta meta = subject.trace().raw.meta;
  EXPECT_EQ(meta.program, "lifetime_subject");
  EXPECT_EQ(meta.script, "");
  EXPECT_EQ(meta.arguments, 3);
  EXPECT_EQ(meta.rank, 3);
  EXPECT_EQ(meta.local_rank, 1);
  EXPECT_EQ(meta.world_size, std::nullopt);
  EXPECT_EQ(meta.host_number, 1);
  EXPECT_EQ(meta.host, "");
}

TEST(Processes, SayTheirHostOnlyWhenAsked) {
  SubjectRun subject;
  subject.run({SUBJECT, "normal"}, {{"ZEROSTALL_TRACE_KEEP_HOST", "1"}});
  char name[256] = {};
  ASSERT_EQ(::gethostname(name, sizeof name - 1), 0);
  EXPECT_EQ(subject.trace().raw.meta.host, name);
}

}  // namespace
}  // namespace zerostall
