// Host functions and callbacks in streams.
#include <atomic>
#include <thread>

#include "tests/simgpu/device.h"

namespace zerostall::testing {
namespace {

struct Seen {
  std::atomic<int> calls{0};
  std::atomic<std::int64_t> at{0};
  std::atomic<cudaError_t> inside{cudaSuccess};
  std::thread::id thread;
};
void note(void* to) {
  auto& seen = *static_cast<Seen*>(to);
  seen.thread = std::this_thread::get_id();
  seen.inside = cudaStreamSynchronize(nullptr);
  ++seen.calls;
}

struct SimHostFunction : ::testing::Test {
  void SetUp() override {
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    begin = now();
  }
  void TearDown() override { EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess); }
  cudaStream_t stream = nullptr;
  std::int64_t begin = 0;
  Seen seen;
};

TEST_F(SimHostFunction, RunsOnAnotherThreadBeforeSynchronizeReturns) {
  launch_for(kLong, stream);
  ASSERT_EQ(cudaLaunchHostFunc(stream, note, &seen), cudaSuccess);
  EXPECT_LT(now() - begin, 100'000) << "the call itself does not wait";
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(seen.calls, 1);
  EXPECT_NE(seen.thread, std::this_thread::get_id());
  EXPECT_EQ(seen.inside, cudaErrorNotPermitted) << "CUDA calls inside are not permitted";
}

TEST_F(SimHostFunction, AnEventBehindItIsNotReadyBeforeItRan) {
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  launch_for(kLong, stream);
  ASSERT_EQ(cudaStreamAddCallback(
                stream, [](cudaStream_t, cudaError_t, void* to) { note(to); }, &seen, 0),
            cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event, stream), cudaSuccess);
  while (cudaEventQuery(event) == cudaErrorNotReady) {
  }
  EXPECT_EQ(seen.calls, 1);
  EXPECT_EQ(cudaStreamAddCallback(stream, nullptr, nullptr, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaLaunchHostFunc(stream, nullptr, nullptr), cudaErrorInvalidValue);
  cudaGetLastError();
  cudaEventDestroy(event);
}

TEST_F(SimHostFunction, AProgramThatSpinsOnItsEffectDoesNotHang) {
  cudaEvent_t before = nullptr;
  ASSERT_EQ(cudaEventCreate(&before), cudaSuccess);
  launch_for(100 * kLong, stream);
  ASSERT_EQ(cudaEventRecord(before, stream), cudaSuccess);
  ASSERT_EQ(cudaLaunchHostFunc(stream, note, &seen), cudaSuccess);
  while (seen.calls == 0) std::this_thread::yield();
  EXPECT_EQ(cudaEventQuery(before), cudaSuccess) << "what lies before the function has been done";
  EXPECT_GT(now() - begin, 100 * kLong) << "asking for it moves the clock";
  cudaEventDestroy(before);
}

TEST_F(SimHostFunction, FunctionsOfOneStreamRunInOrder) {
  static std::string order;
  order.clear();
  for (const char* text : {"a", "b", "c"})
    ASSERT_EQ(cudaLaunchHostFunc(
                  stream, [](void* t) { order += static_cast<const char*>(t); }, const_cast<char*>(text)),
              cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(order, "abc");
}

}  // namespace
}  // namespace zerostall::testing
