// Which copies wait, and which bytes arrive.
#include <cstring>
#include <numeric>
#include <vector>

#include "tests/simgpu/device.h"

namespace zerostall::testing {
namespace {

struct SimCopy : ::testing::Test {
  void SetUp() override {
    ASSERT_EQ(cudaMalloc(&device, kBytes), cudaSuccess);
    ASSERT_EQ(cudaHostAlloc(&pinned, kBytes, 0), cudaSuccess);
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    cudaDeviceSynchronize();
  }
  void TearDown() override {
    cudaDeviceSynchronize();
    cudaStreamDestroy(stream);
    cudaFree(device);
    cudaFreeHost(pinned);
  }
  // Host time the call takes behind 10 ms of queued work.
  template <class Call>
  std::int64_t cost(Call&& call) {
    launch_for(kLong, stream);
    const std::int64_t begin = now();
    EXPECT_EQ(call(), cudaSuccess);
    return now() - begin;
  }
  static constexpr std::size_t kBytes = 1 << 20, kSmall = 512;
  void *device = nullptr, *pinned = nullptr;
  std::vector<char> pageable = std::vector<char>(kBytes, 'p');
  cudaStream_t stream = nullptr;
};

TEST_F(SimCopy, SmallPageableUploadDoesNotWaitForTheStream) {
  EXPECT_LT(cost([&] { return cudaMemcpyAsync(device, pageable.data(), kSmall, cudaMemcpyHostToDevice, stream); }),
            100'000);
}
TEST_F(SimCopy, LargePageableUploadWaitsForTheStream) {
  EXPECT_GT(cost([&] { return cudaMemcpyAsync(device, pageable.data(), kBytes, cudaMemcpyHostToDevice, stream); }),
            kLong - 100'000);
}
TEST_F(SimCopy, PinnedAsyncCopiesNeverWait) {
  EXPECT_LT(cost([&] { return cudaMemcpyAsync(device, pinned, kBytes, cudaMemcpyHostToDevice, stream); }), 100'000);
  EXPECT_LT(cost([&] { return cudaMemcpyAsync(pinned, device, kBytes, cudaMemcpyDeviceToHost, stream); }), 100'000);
}
TEST_F(SimCopy, PageableDownloadReturnsWhenDone) {
  EXPECT_GT(cost([&] { return cudaMemcpyAsync(pageable.data(), device, kSmall, cudaMemcpyDeviceToHost, stream); }),
            kLong - 100'000);
}
TEST_F(SimCopy, HostToHostReturnsWhenDone) {
  EXPECT_GT(cost([&] { return cudaMemcpyAsync(pinned, pageable.data(), kSmall, cudaMemcpyHostToHost, stream); }),
            kLong - 100'000);
}
TEST_F(SimCopy, DeviceToDeviceNeverWaits) {
  auto* d = static_cast<char*>(device);
  EXPECT_LT(cost([&] { return cudaMemcpyAsync(d + kSmall, d, kSmall, cudaMemcpyDeviceToDevice, stream); }), 100'000);
}
TEST_F(SimCopy, SynchronousPinnedUploadReturnsWhenDone) {
  launch_for(kLong);  // on the legacy stream, which cudaMemcpy uses
  const std::int64_t begin = now();
  ASSERT_EQ(cudaMemcpy(device, pinned, kSmall, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_GT(now() - begin, kLong - 100'000);
}

TEST_F(SimCopy, BytesSurviveARoundTripThroughTheDevice) {
  std::vector<int> sent(1000), back(1000);
  std::iota(sent.begin(), sent.end(), 1);
  auto* d = static_cast<char*>(device);
  const std::size_t bytes = sent.size() * sizeof(int);
  ASSERT_EQ(cudaMemcpyAsync(d, sent.data(), bytes, cudaMemcpyHostToDevice, stream), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(d + 8192, d, bytes, cudaMemcpyDeviceToDevice, stream), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(back.data(), d + 8192, bytes, cudaMemcpyDeviceToHost, stream), cudaSuccess);
  EXPECT_EQ(sent, back);
}

TEST_F(SimCopy, MemsetIsSeenByAReadBack) {
  std::vector<char> back(100);
  ASSERT_EQ(cudaMemsetAsync(device, 7, 100, stream), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(back.data(), device, 100, cudaMemcpyDeviceToHost, stream), cudaSuccess);
  EXPECT_EQ(back, std::vector<char>(100, 7));
}

TEST_F(SimCopy, AScalarAKernelMayHaveWrittenReadsAsZero) {
  float value = 5.0f;
  ASSERT_EQ(cudaMemcpy(device, &value, sizeof value, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(value, 5.0f) << "nothing launched in between: the value is real";
  launch_for(1000);
  ASSERT_EQ(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(value, 0.0f);
}

TEST_F(SimCopy, CopiesOverTheEndOfAnAllocationAreRefused) {
  EXPECT_EQ(cudaMemcpy(device, pageable.data(), kBytes + 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(nullptr, pageable.data(), 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(pageable.data(), 0, 4), cudaErrorInvalidValue) << "not device memory";
  EXPECT_EQ(cudaMemcpyAsync(device, pinned, 4, cudaMemcpyHostToDevice, reinterpret_cast<cudaStream_t>(0x1234)),
            cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
}

}  // namespace
}  // namespace zerostall::testing
