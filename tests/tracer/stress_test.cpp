// Sixteen threads in the tracer at once, while threads come and go, the process forks, ends or is killed. Built with a
// sanitizer this is where it looks for races; without, it is the counts that must be exact.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/faults/fault_count.h"
#include "tests/tracer/run_subject.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;

struct Stressed {
  Ended ended;
  std::int64_t waits = 0;  // complete, by the program itself
  LeftTrace trace;
};

Stressed stress(const std::string& mode) {
  SubjectRun run;
  Stressed s;
  s.ended = run.run({SUBJECT, mode});
  s.waits = static_cast<std::int64_t>(run.progress().waits.load());
  s.trace = run.trace();
  EXPECT_EQ(s.trace.problem, "") << mode;
  return s;
}

// Steps are complete as a whole: of each, what stands before its wait.
void expect_all_of(const Stressed& s, std::int64_t steps) {
  EXPECT_EQ(s.trace.calls("cudaStreamSynchronize"), steps);
  EXPECT_EQ(s.trace.calls("cudaLaunchKernel"), 2 * steps);
  EXPECT_EQ(s.trace.calls("cudaEventRecord"), steps);
  EXPECT_EQ(s.trace.calls("cudaMemcpyAsync"), steps);
  EXPECT_EQ(s.trace.raw.marks.size(), static_cast<std::size_t>(2 * steps));
  EXPECT_EQ(s.trace.raw.gpu_ops.size(), static_cast<std::size_t>(3 * steps));
  EXPECT_FALSE(s.trace.raw.truncated);
}

TEST(TracerStress, SixteenThreadsAtOnceLoseNothing) {
  const Stressed s = stress("together");
  EXPECT_EQ(s.ended.exit_code, 0) << s.ended.err;
  expect_all_of(s, 16 * 300);
}

TEST(TracerStress, ThreadsThatComeAndGoLoseNothing) {
  const Stressed s = stress("churn");
  EXPECT_EQ(s.ended.exit_code, 0) << s.ended.err;
  expect_all_of(s, 15 * 16 * 5);
}

TEST(TracerStress, ForksInTheMiddleOfCallsLoseNothing) {
  const FaultCount fault("program_forks", 1);
  const Stressed s = stress("forks");
  EXPECT_EQ(s.ended.exit_code, 0) << s.ended.err;
  ASSERT_GT(s.waits, 0);
  expect_all_of(s, s.waits);
}

// What is under way while the process ends may be lost: of each thread its last step, and what it does after the trace
// has been closed.
TEST(TracerStress, AnEndInTheMiddleOfCallsLeavesAWholeTrace) {
  FaultCount faults("program_ends");
  for (const char* mode : {"exit", "exit-of-thread"}) {
    faults.next();
    const Stressed s = stress(mode);
    EXPECT_EQ(s.ended.exit_code, 0) << mode << ": " << s.ended.err;
    EXPECT_FALSE(s.trace.raw.truncated) << mode;
    const std::int64_t found = s.trace.calls("cudaStreamSynchronize");
    EXPECT_GT(found, 0) << mode;
    EXPECT_LE(found, s.waits + 16) << mode;
  }
}

TEST(TracerStress, AKillInTheMiddleOfCallsLosesNone) {
  const FaultCount fault("program_killed", 1);
  const Stressed s = stress("kill");
  EXPECT_EQ(s.ended.exit_code, 128 + 9);
  EXPECT_TRUE(s.trace.raw.truncated);
  const std::int64_t found = s.trace.calls("cudaStreamSynchronize");
  EXPECT_GE(found, s.waits) << "complete, and not in the trace";
  EXPECT_LE(found, s.waits + 16);
}

}  // namespace
}  // namespace zerostall
