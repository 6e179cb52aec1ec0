// Order of streams, events, the launch queue, waiting and polling on the virtual clock.
#include "tests/simgpu/device.h"

namespace zerostall::testing {
namespace {

struct SimStream : ::testing::Test {
  void SetUp() override {
    ASSERT_EQ(cudaStreamCreate(&blocking), cudaSuccess);
    ASSERT_EQ(cudaStreamCreateWithFlags(&free_a, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaStreamCreateWithFlags(&free_b, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
    cudaDeviceSynchronize();
    begin = now();
  }
  void TearDown() override {
    cudaDeviceSynchronize();
    for (cudaStream_t s : {blocking, free_a, free_b}) EXPECT_EQ(cudaStreamDestroy(s), cudaSuccess);
    EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  }
  std::int64_t after_sync(cudaStream_t s) {
    EXPECT_EQ(cudaStreamSynchronize(s), cudaSuccess);
    return now() - begin;
  }
  cudaStream_t blocking = nullptr, free_a = nullptr, free_b = nullptr;
  cudaEvent_t event = nullptr;
  std::int64_t begin = 0;
};

TEST_F(SimStream, LaunchesReturnAtOnceAndSynchronizeWaitsForTheStream) {
  launch_for(kLong, free_a);
  EXPECT_LT(now() - begin, 100'000);
  const std::int64_t waited = after_sync(free_a);
  EXPECT_GT(waited, kLong);
  EXPECT_LT(waited, kLong + 100'000);
}
TEST_F(SimStream, WorkOfOneStreamRunsInOrder) {
  launch_for(kLong, free_a);
  launch_for(kLong, free_a);
  EXPECT_GT(after_sync(free_a), 2 * kLong);
}
TEST_F(SimStream, NonBlockingStreamsRunSideBySide) {
  launch_for(kLong, free_a);
  launch_for(kLong, free_b);
  EXPECT_LT(after_sync(free_b), 2 * kLong);
}
TEST_F(SimStream, TheLegacyStreamWaitsForBlockingStreamsAndTheyForIt) {
  launch_for(kLong, blocking);
  launch_for(kLong, nullptr);
  launch_for(kLong, blocking);
  EXPECT_GT(after_sync(blocking), 3 * kLong);
}
TEST_F(SimStream, TheLegacyStreamLeavesNonBlockingStreamsAlone) {
  launch_for(3 * kLong, free_a);
  launch_for(kLong, nullptr);
  EXPECT_LT(after_sync(nullptr), 2 * kLong);
}
TEST_F(SimStream, StreamWaitEventOrdersStreamsWithoutBlockingTheHost) {
  launch_for(kLong, free_a);
  ASSERT_EQ(cudaEventRecord(event, free_a), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(free_b, event, 0), cudaSuccess);
  launch_for(kLong, free_b);
  EXPECT_LT(now() - begin, 100'000);
  EXPECT_GT(after_sync(free_b), 2 * kLong);
}
TEST_F(SimStream, EventSynchronizeWaitsForTheWorkBeforeTheRecordOnly) {
  launch_for(kLong, free_a);
  ASSERT_EQ(cudaEventRecord(event, free_a), cudaSuccess);
  launch_for(kLong, free_a);
  ASSERT_EQ(cudaEventSynchronize(event), cudaSuccess);
  EXPECT_GT(now() - begin, kLong);
  EXPECT_LT(now() - begin, 2 * kLong);
}
TEST_F(SimStream, AnEventNeverRecordedIsComplete) {
  EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(event), cudaSuccess);
  EXPECT_LT(now() - begin, 100'000);
}
TEST_F(SimStream, ElapsedTimeIsThatOfTheVirtualClock) {
  cudaEvent_t end = nullptr;
  ASSERT_EQ(cudaEventCreate(&end), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event, free_a), cudaSuccess);
  launch_for(kLong, free_a);
  ASSERT_EQ(cudaEventRecord(end, free_a), cudaSuccess);
  float ms = 0;
  EXPECT_EQ(cudaEventElapsedTime(&ms, event, end), cudaErrorNotReady);
  ASSERT_EQ(cudaEventSynchronize(end), cudaSuccess);
  ASSERT_EQ(cudaEventElapsedTime(&ms, event, end), cudaSuccess);
  EXPECT_NEAR(ms, 10.0f, 0.1f);
  cudaEventDestroy(end);
}
TEST_F(SimStream, PollingEndsAndNotReadyIsTheLastError) {
  launch_for(1000 * kLong, free_a);
  ASSERT_EQ(cudaEventRecord(event, free_a), cudaSuccess);
  int polls = 0;
  while (cudaEventQuery(event) == cudaErrorNotReady && polls < 1000) ++polls;
  EXPECT_GT(polls, 1) << "work is queued: the first answer cannot be ready";
  EXPECT_LT(polls, 1000);
  EXPECT_GE(now() - begin, 1000 * kLong);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotReady);
}
TEST_F(SimStream, ALaunchBlocksWhenTheQueueIsFull) {
  for (std::int64_t i = 0; i < model().launch_queue; ++i) launch_for(kLong, free_a);
  EXPECT_LT(now() - begin, kLong) << "the queue holds " << model().launch_queue;
  launch_for(kLong, free_a);
  EXPECT_GT(now() - begin, kLong) << "one more has to wait until the first is done";
}
TEST_F(SimStream, UnknownHandlesAreRefused) {
  const auto bad_stream = reinterpret_cast<cudaStream_t>(0x1234);
  const auto bad_event = reinterpret_cast<cudaEvent_t>(0x1234);
  EXPECT_EQ(cudaStreamSynchronize(bad_stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamQuery(bad_stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventSynchronize(bad_event), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecord(bad_event, free_a), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
}
TEST_F(SimStream, CheapCallsCostNothing) {
  int device = 0;
  for (int i = 0; i < 1000; ++i) {
    cudaGetDevice(&device);
    cudaGetLastError();
  }
  EXPECT_EQ(now(), begin);
}

}  // namespace
}  // namespace zerostall::testing
