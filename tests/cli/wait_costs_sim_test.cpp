// What the analysis says a wait costs, against what the same program gains on the simulated GPU without it.
#include <gtest/gtest.h>

#include <cmath>

#include "profiler/analyze/wait_costs.h"
#include "profiler/base/files.h"
#include "profiler/trace/build_trace.h"
#include "profiler/trace/read_native.h"
#include "tests/cli/program.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;

constexpr std::size_t kStep = 3;  // all steps are alike but the first

struct Run {
  Trace trace;
  Steps steps;
  std::vector<Wait> waits;
  WaitCosts costs;

  Nanos step_ns() const { return steps.steps.at(kStep).end_ns - steps.steps.at(kStep).begin_ns; }
  // The first wait of the step, which is the planted one where there is one.
  std::size_t first_wait() const {
    for (std::size_t i = 0; i < waits.size(); ++i)
      if (is_host_wait(waits[i].kind) && step_at(steps.steps, waits[i].blocks_ns) == kStep) return i;
    throw std::runtime_error("no wait");
  }
  // What the step's copies took of the GPU.
  Nanos copies_ns() const {
    Nanos sum = 0;
    for (const GpuOp& op : trace.gpu_ops)
      if (op.kind == GpuOpKind::copy && step_at(steps.steps, op.launch_ns) == kStep) sum += op.end_ns - op.begin_ns;
    return sum;
  }
};

Run record(const std::string& name, const std::string& variant) {
  const TempFolder folder = std::move(*TempFolder::make());
  const auto file = folder.path() / "run.zstall";
  const ChildResult result = run_program(
      ZEROSTALL_PROGRAM, {"record", "--device", "sim", "-o", file.string(), "--", COST_SUBJECT, name, variant});
  if (result.exit_code != 0) throw std::runtime_error(result.err);
  auto raw = read_native(file);
  if (!raw) throw std::runtime_error(raw.error().message);
  Run run;
  run.trace = build_trace(std::move(*raw));
  run.steps = split_steps(run.trace);
  run.waits = find_waits(run.trace);
  run.costs = cost_of_waits(run.trace, run.steps, run.waits).value();
  return run;
}

struct Compared {
  Nanos gained_ns = 0, avoidable_ns = 0, bubble_ns = 0, wait_ns = 0, copies_less_ns = 0;
};

Compared compare(const std::string& name) {
  const Run planted = record(name, "planted"), without = record(name, "without");
  const std::size_t wait = planted.first_wait();
  const WaitCost& cost = planted.costs.waits[wait];
  const Compared found{planted.step_ns() - without.step_ns(), cost.avoidable_ns, cost.bubble_ns,
                       planted.waits[wait].end_ns - planted.waits[wait].begin_ns,
                       planted.copies_ns() - without.copies_ns()};
  std::printf("%-10s step %lld ns, without the wait %lld ns less; avoidable idle %lld ns of a bubble of %lld ns\n",
              name.c_str(), static_cast<long long>(planted.step_ns()), static_cast<long long>(found.gained_ns),
              static_cast<long long>(found.avoidable_ns), static_cast<long long>(found.bubble_ns));
  return found;
}

class AvoidableIdle : public ::testing::TestWithParam<const char*> {};

TEST_P(AvoidableIdle, IsWhatAStepGainsWithoutTheWait) {
  const Compared found = compare(GetParam());
  EXPECT_GT(found.gained_ns, 0);
  EXPECT_NEAR(static_cast<double>(found.avoidable_ns), static_cast<double>(found.gained_ns),
              0.1 * static_cast<double>(found.gained_ns));
}

INSTANTIATE_TEST_SUITE_P(OfOnePlantedWait, AvoidableIdle,
                         ::testing::Values("drain", "host-bound", "read-back", "upload"));

// The gap behind it goes; and the host, which is late from then on, gets further ahead, so that later gaps shrink that
// are not charged to it. The wait's own length is the most that can be gained.
TEST(AvoidableIdleOf, AWaitBeforeManyLateLaunchesIsTheLeastThatIsGained) {
  const Compared found = compare("short");
  EXPECT_GT(found.avoidable_ns, 0);
  EXPECT_GT(found.gained_ns, found.avoidable_ns);
  EXPECT_LE(found.gained_ns, found.wait_ns + 1);  // a call moves the clock by 1 ns
}

// An upload from pinned memory is faster too: that is no idle time.
TEST(AvoidableIdleOf, AnUploadIsWithoutTheTimeOfItsTransfer) {
  const Compared found = compare("pageable");
  EXPECT_NEAR(static_cast<double>(found.avoidable_ns + found.copies_less_ns), static_cast<double>(found.gained_ns),
              0.1 * static_cast<double>(found.gained_ns));
}

TEST(AvoidableIdleOf, AWaitBehindWhichTheQueueIsLongIsNothing) {
  const Compared found = compare("event");
  EXPECT_EQ(found.avoidable_ns, 0);
  EXPECT_EQ(found.gained_ns, 0);
}

TEST(AvoidableIdleOf, AWaitThatHasNothingToWaitForIsNothing) {
  const Compared found = compare("idle");
  EXPECT_EQ(found.avoidable_ns, 0);
  EXPECT_EQ(found.bubble_ns, 0);
  EXPECT_LE(found.gained_ns, found.wait_ns + 1);  // the call itself, where the host is late anyway
}

}  // namespace
}  // namespace zerostall
