// ZEROSTALL_SIM_SEED: durations that vary, the same for the same seed. The variable is read once per process, so the
// program under test is this test program itself, started anew.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <set>
#include <string>

#include "tests/simgpu/device.h"

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
  std::array<char, 4096> self{}, text{};
  if (readlink("/proc/self/exe", self.data(), self.size() - 1) < 0) return "";
  const std::string command = (seed.empty() ? "" : "ZEROSTALL_SIM_SEED=" + seed + " ") + std::string(self.data()) +
                              " --gtest_also_run_disabled_tests --gtest_filter=SimSeed.DISABLED_Polls";
  std::string all;
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return "";
  while (std::fgets(text.data(), static_cast<int>(text.size()), pipe)) all += text.data();
  pclose(pipe);
  const auto at = all.find("polls=");
  return at == std::string::npos ? "" : all.substr(at, all.find('\n', at) - at);
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

}  // namespace
}  // namespace zerostall::testing
