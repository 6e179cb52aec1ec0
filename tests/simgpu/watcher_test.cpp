// Threads that never queue work: they run beside the virtual clock (core/clock.h, core/wait.h).
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tests/simgpu/device.h"

namespace zerostall::testing {
namespace {

constexpr int kRounds = 30;

// Times at which each round's work was done, from the first round's start. The sleeps let others run in between.
std::vector<std::int64_t> work(cudaEvent_t event) {
  std::vector<std::int64_t> ends;
  cudaDeviceSynchronize();
  const std::int64_t begin = now();
  for (int i = 0; i < kRounds; ++i) {
    launch_for(kLong);
    cudaEventRecord(event, nullptr);
    usleep(2000);
    void* memory = nullptr;
    cudaMalloc(&memory, 4096);
    cudaFree(memory);
    ends.push_back(now() - begin);
  }
  return ends;
}

TEST(SimWatcher, LeavesTheTimesOfOthersAlone) {
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  work(event);
  const auto alone = work(event);
  std::atomic<bool> done{false};
  std::atomic<int> not_ready{0};
  std::thread watchdog([&] {
    while (!done) {
      not_ready += cudaEventQuery(event) == cudaErrorNotReady;
      cudaStreamQuery(nullptr);
      void* pinned = nullptr;  // a loader's; freeing would wait for the device
      cudaHostAlloc(&pinned, 4096, cudaHostAllocDefault);
      usleep(500);
    }
  });
  const auto watched = work(event);
  done = true;
  watchdog.join();
  EXPECT_GT(not_ready, 0) << "it did ask while work was under way";
  EXPECT_EQ(watched, alone);
  cudaEventDestroy(event);
}

TEST(SimWatcher, ThatSpinsWhileEverybodyWaitsForItGetsItsAnswer) {
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  launch_for(kLong);
  ASSERT_EQ(cudaEventRecord(event, nullptr), cudaSuccess);
  const std::int64_t before = now();
  int polls = 0;
  std::thread poller([&] {
    while (cudaEventQuery(event) == cudaErrorNotReady && polls < 1'000'000) ++polls;
  });
  poller.join();
  EXPECT_GT(polls, 100) << "a few questions are no reason to jump";
  EXPECT_LT(polls, 10'000);
  EXPECT_GE(now(), before + kLong / 2);
  cudaEventDestroy(event);
}

TEST(SimWatcher, WaitingMovesTheClockWhoeverWaits) {
  launch_for(kLong);
  const std::int64_t before = now();
  std::thread waiter([] { cudaDeviceSynchronize(); });
  waiter.join();
  EXPECT_GE(now(), before + kLong / 2);
}

TEST(SimWatcher, IsNobodyBeforeWorkIsQueued) {
  const pid_t child = fork();
  if (child == 0) {
    simgpu::g_device_fed = false;  // as in a process that has just begun
    simgpu::t_feeds_device = false;
    bool both = true;
    for (int i = 0; i < 2; ++i)
      std::thread([&] {
        const std::int64_t before = now();
        void* memory = nullptr;
        both &= cudaMalloc(&memory, 4096) == cudaSuccess && now() > before;
      }).join();
    _exit(both ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace zerostall::testing
