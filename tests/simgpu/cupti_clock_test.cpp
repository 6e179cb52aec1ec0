// Records in a clock of the client's own, which is real time while the device's is virtual.
#include <time.h>
#include <unistd.h>

#include "tests/simgpu/cupti_client.h"

namespace zerostall::testing {
namespace {

std::uint64_t CUPTIAPI thirds() {  // real time in units of a third of a nanosecond
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 3 * (static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec));
}

class SimCuptiClock : public CuptiClient {
 public:
  void SetUp() override {
    CuptiClient::SetUp();
    cudaDeviceSynchronize();
    ASSERT_EQ(cuptiActivityRegisterTimestampCallback(thirds), CUPTI_SUCCESS);
    enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    enable(CUPTI_ACTIVITY_KIND_RUNTIME);
    begin = thirds();
  }
  // What must hold whatever happened: work lies after its launch and before `waited`, in order on its stream.
  void check(std::uint64_t waited) {
    std::uint64_t last = 0;
    const auto launches = calls(CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000);
    for (const auto& k : kernels()) {
      EXPECT_LE(k.start, k.end);
      EXPECT_LE(k.end, waited);
      EXPECT_GE(k.start, last) << "one after the other on a stream";
      last = k.end;
      for (const auto& call : launches)
        if (call.correlationId == k.correlationId) {
          EXPECT_GE(k.start, call.start) << "no earlier than its launch";
        }
    }
  }
  std::uint64_t begin = 0;
};

TEST_F(SimCuptiClock, VirtualTimeThatRanAheadIsSqueezedBeforeTheCallThatWaited) {
  for (int i = 0; i < 5; ++i) launch_for(kLong);  // 50 ms of work, waited for in no time
  cudaDeviceSynchronize();
  const auto waits = calls(CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020);
  ASSERT_EQ(waits.size(), 1u);
  ASSERT_EQ(kernels().size(), 5u);
  EXPECT_GE(waits[0].start, begin);
  check(waits[0].end);
  EXPECT_GT(kernels()[4].end, kernels()[4].start);
}

TEST_F(SimCuptiClock, DurationsAreTheModelledOnesWhereThereIsTime) {
  launch_for(1'000'000);
  usleep(1000);
  launch_for(1'000'000);
  usleep(60'000);
  cudaDeviceSynchronize();
  check(thirds());
  ASSERT_EQ(kernels().size(), 2u);
  for (const auto& k : kernels()) EXPECT_NEAR(static_cast<double>(k.end - k.start), 3e6, 3e5);
}

TEST_F(SimCuptiClock, WorkNobodyWaitedForEndsBeforeTheFlush) {
  launch_for(kLong);
  launch_for(kLong);
  ASSERT_EQ(kernels().size(), 2u);
  check(thirds());
  launch_for(kLong);
  cudaDeviceSynchronize();
  ASSERT_EQ(kernels().size(), 3u);
  check(thirds());
}

TEST_F(SimCuptiClock, AFinishedEventIsAWaitToo) {
  cudaEvent_t event = nullptr;
  cudaEventCreate(&event);
  launch_for(kLong);
  cudaEventRecord(event, nullptr);
  while (cudaEventQuery(event) == cudaErrorNotReady) {
  }
  const std::uint64_t seen = thirds();
  ASSERT_EQ(kernels().size(), 1u);
  check(seen);
  cudaEventDestroy(event);
}

TEST_F(SimCuptiClock, LongRunsWithoutWaitingHoldBackNoMoreThanTheQueues) {
  for (int i = 0; i < 20'000; ++i) launch_for(1000);
  EXPECT_GT(hand_overs, 10u) << "records came out although nobody waited";
  cudaDeviceSynchronize();
  EXPECT_EQ(kernels().size(), 20'000u);
  std::uint64_t last = 0;
  for (const auto& k : kernels()) {
    EXPECT_GE(k.start, last);
    last = k.end;
  }
}

TEST_F(SimCuptiClock, TheTimeStampFunctionAnswersInTheSameClock) {
  std::uint64_t now = 0;
  const std::uint64_t before = thirds();
  ASSERT_EQ(cuptiGetTimestamp(&now), CUPTI_SUCCESS);
  EXPECT_GE(now, before);
  EXPECT_LE(now, thirds());
  EXPECT_EQ(cuptiActivityRegisterTimestampCallback(nullptr), CUPTI_ERROR_INVALID_PARAMETER);
}

}  // namespace
}  // namespace zerostall::testing
