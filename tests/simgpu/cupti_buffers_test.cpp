// How activity buffers travel: per thread, handed over by a worker, refused, full, dropped, after a fork.
#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include "tests/faults/fault_count.h"
#include "tests/simgpu/cupti_client.h"

namespace zerostall::testing {
namespace {

using SimCuptiBuffers = CuptiClient;

TEST_F(SimCuptiBuffers, AWorkerHandsThemOverAndAFlushWaitsForIt) {
  enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  for (int i = 0; i < 1000; ++i) launch_for(1000);
  EXPECT_EQ(kernels().size(), 1000u);
  EXPECT_NE(hand_over_thread, std::this_thread::get_id());
  EXPECT_GE(hand_overs, 1000 * sizeof(CUpti_ActivityKernel10) / 8192);
  EXPECT_EQ(dropped(), 0u);
}

TEST_F(SimCuptiBuffers, NothingIsHandedOverUnlessFullOrFlushed) {
  enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  launch_for(1000);
  EXPECT_EQ(hand_overs, 0u);
  cuptiActivityFlushAll(0);
  EXPECT_EQ(hand_overs, 1u);
  cuptiActivityFlushAll(0);
  EXPECT_EQ(hand_overs, 1u) << "an empty buffer stays";
}

TEST_F(SimCuptiBuffers, EveryRecordOfManyThreadsArrivesOnce) {
  enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  enable(CUPTI_ACTIVITY_KIND_RUNTIME);
  for (int round = 0; round < 3; ++round) {  // later threads take the buffers of earlier ones
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([] {
        for (int i = 0; i < 500; ++i) launch_for(1000);
      });
    for (auto& t : threads) t.join();
  }
  std::set<std::uint32_t> correlations;
  for (const auto& k : kernels()) correlations.insert(k.correlationId);
  EXPECT_EQ(kernels().size(), 12000u);
  EXPECT_EQ(correlations.size(), 12000u);
  EXPECT_EQ(calls(CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000).size(), 12000u);
}

TEST_F(SimCuptiBuffers, OneBufferForAllThreadsOnRequest) {
  std::uint8_t per_thread = 0;
  std::size_t bytes = sizeof per_thread;
  ASSERT_EQ(cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, &bytes, &per_thread),
            CUPTI_SUCCESS);
  buffer_bytes = 1 << 20;
  enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  for (int t = 0; t < 4; ++t) std::thread([] { launch_for(1000); }).join();
  EXPECT_EQ(kernels().size(), 4u);
  EXPECT_EQ(requests, 1u);
  per_thread = 1;
  cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, &bytes, &per_thread);
}

TEST_F(SimCuptiBuffers, WithoutABufferRecordsAreDroppedAndCounted) {
  enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  refuse = true;
  for (int i = 0; i < 10; ++i) launch_for(1000);
  refuse = false;
  launch_for(1000);
  EXPECT_EQ(kernels().size(), 1u);
  EXPECT_EQ(dropped(), 10u);
  EXPECT_EQ(dropped(), 0u) << "counted since the last question";
}

TEST_F(SimCuptiBuffers, TheClientLimitsRecordsPerBuffer) {
  max_records = 3;
  enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  for (int i = 0; i < 7; ++i) launch_for(1000);
  EXPECT_EQ(kernels().size(), 7u);
  EXPECT_EQ(hand_overs, 3u);
}

TEST_F(SimCuptiBuffers, ABufferTooSmallForARecordComesBackEmpty) {
  buffer_bytes = 64;
  enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  launch_for(1000);
  EXPECT_TRUE(kernels().empty());
  EXPECT_EQ(hand_overs, 1u);
  EXPECT_EQ(dropped(), 1u);
}

TEST_F(SimCuptiBuffers, AFlushInsideTheHandOverDoesNotBlock) {
  flush_inside = true;
  enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  for (int i = 0; i < 100; ++i) launch_for(1000);
  EXPECT_EQ(kernels().size(), 100u);
}

TEST_F(SimCuptiBuffers, AForkedChildNeitherHangsNorHandsOverTheParentsRecords) {
  const FaultCount fault("child_of_gpu_user", 1);
  enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  for (int i = 0; i < 100; ++i) launch_for(1000);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    const std::size_t before = hand_overs;
    cuptiActivityFlushAll(1);
    const bool silent = hand_overs == before;
    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    const bool refused = cudaDeviceSynchronize() == cudaErrorInitializationError;
    cuptiActivityFlushAll(1);
    _exit(silent && refused && hand_overs == before ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(kernels().size(), 100u) << "the parent's are still there";
}

TEST_F(SimCuptiBuffers, RecordsCanBeLostOnPurpose) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // the setting is read once a process
  setenv("ZEROSTALL_SIM_CUPTI_DROP", "10", 1);
  EXPECT_EXIT(
      {
        cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
        for (int i = 0; i < 100; ++i) launch_for(1000);
        _exit(kernels().size() == 90 && dropped() == 10 ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
  unsetenv("ZEROSTALL_SIM_CUPTI_DROP");
}

}  // namespace
}  // namespace zerostall::testing
