// Settings of the clock: durations that vary (ZEROSTALL_SIM_SEED), host time that is measured
// (ZEROSTALL_SIM_HOST_CLOCK).
#include <chrono>
#include <cstdio>
#include <ctime>
#include <set>
#include <string>

#include "tests/simgpu/device.h"
#include "tests/simgpu/rerun.h"

namespace zerostall::testing {
namespace {

// Asks about twenty of the shortest kernels until they are done; prints how often the answer was "not ready".
TEST(SimSeed, DISABLED_Polls) {
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
  int polls = 0;
  for (int i = 0; i < 20; ++i) {
    launch_for(1000, stream);
    ASSERT_EQ(cudaEventRecord(event, stream), cudaSuccess);
    while (cudaEventQuery(event) == cudaErrorNotReady) ++polls;
  }
  std::printf("polls=%d end=%lld\n", polls, static_cast<long long>(now()));
}

std::string run_with_seed(const std::string& seed) {
  return rerun(seed.empty() ? "" : "ZEROSTALL_SIM_SEED=" + seed, "SimSeed.DISABLED_Polls", "polls=");
}

TEST(SimSeed, CountsOfAPollingProgramDifferBetweenSeedsButNotBetweenRuns) {
  const std::string plain = run_with_seed("");
  ASSERT_FALSE(plain.empty());
  EXPECT_EQ(plain, run_with_seed("0")) << "without a seed nothing varies";
  std::set<std::string> counts;
  for (const char* seed : {"1", "2", "3", "4"}) {
    const std::string once = run_with_seed(seed);
    EXPECT_EQ(once, run_with_seed(seed)) << "the same seed, the same run";
    counts.insert(once.substr(0, once.find(' ')));
  }
  EXPECT_GT(counts.size(), 1u) << "how often it polls depends on timing";
}

// Works for 20 ms of CPU time between two calls; prints what the virtual clock made of it.
TEST(SimHostClock, DISABLED_Work) {
  int device = 0;
  ASSERT_EQ(cudaGetDevice(&device), cudaSuccess);
  const std::int64_t begin = now();
  const std::clock_t start = std::clock();
  while (std::clock() - start < CLOCKS_PER_SEC / 50) {
  }
  ASSERT_EQ(cudaGetDevice(&device), cudaSuccess);
  std::printf("spent_ms=%lld\n", static_cast<long long>((now() - begin) / 1'000'000));
}

TEST(SimHostClock, AdvancesByTheThreadsCpuTimeOnRequestOnly) {
  const char* const test = "SimHostClock.DISABLED_Work";
  EXPECT_EQ(rerun("", test, "spent_ms="), "spent_ms=0");
  const std::string measured = rerun("ZEROSTALL_SIM_HOST_CLOCK=cpu", test, "spent_ms=");
  ASSERT_GT(measured.size(), 9u);
  EXPECT_GE(std::stoi(measured.substr(9)), 19);
  EXPECT_LT(std::stoi(measured.substr(9)), 200);
}

}  // namespace
}  // namespace zerostall::testing
