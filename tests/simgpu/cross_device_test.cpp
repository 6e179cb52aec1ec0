// Work that two devices take part in: events of one waited for on the other, copies between them, resets.
#include <cstdlib>
#include <thread>
#include <vector>

#include "tests/simgpu/device.h"

namespace zerostall::testing {
namespace {

const int g_two_devices = setenv("ZEROSTALL_SIM_GPUS", "2", 1);  // before the first CUDA call of the process

struct SimCrossDevice : ::testing::Test {
  void SetUp() override {
    ASSERT_EQ(g_two_devices, 0);
    for (int d = 0; d < 2; ++d) {
      ASSERT_EQ(cudaSetDevice(d), cudaSuccess);
      ASSERT_EQ(cudaStreamCreateWithFlags(&stream[d], cudaStreamNonBlocking), cudaSuccess);
      ASSERT_EQ(cudaEventCreateWithFlags(&event[d], cudaEventDisableTiming), cudaSuccess);
      ASSERT_EQ(cudaMalloc(&memory[d], 4096), cudaSuccess);
      ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    }
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  }
  void TearDown() override {
    for (int d = 0; d < 2; ++d) {
      cudaSetDevice(d);
      cudaDeviceSynchronize();
      cudaStreamDestroy(stream[d]);
      cudaEventDestroy(event[d]);
      cudaFree(memory[d]);
    }
    cudaSetDevice(0);
    cudaGetLastError();
  }
  cudaStream_t stream[2] = {};
  cudaEvent_t event[2] = {};
  void* memory[2] = {};
};

TEST_F(SimCrossDevice, AStreamWaitsForAnEventOfTheOtherDevice) {
  const std::int64_t begin = now();
  launch_for(10 * kLong, stream[0]);
  ASSERT_EQ(cudaEventRecord(event[0], stream[0]), cudaSuccess);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(stream[1], event[0], 0), cudaSuccess);
  launch_for(kLong, stream[1]);
  EXPECT_LT(now() - begin, kLong) << "the host goes on";
  ASSERT_EQ(cudaStreamSynchronize(stream[1]), cudaSuccess);
  EXPECT_GT(now() - begin, 11 * kLong);
  EXPECT_EQ(cudaEventQuery(event[0]), cudaSuccess) << "of another device than the current one";
}

TEST_F(SimCrossDevice, EventsAreRecordedOnStreamsOfTheirDevice) {
  EXPECT_EQ(cudaEventRecord(event[0], stream[1]), cudaErrorInvalidResourceHandle);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(event[0], stream[0]), cudaSuccess) << "whatever device is current";
}

TEST_F(SimCrossDevice, BytesTravelBetweenDevices) {
  std::vector<unsigned char> in(4096, 0), out(4096, 42);
  ASSERT_EQ(cudaMemcpy(memory[0], out.data(), out.size(), cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpyPeerAsync(memory[1], 1, memory[0], 0, out.size(), stream[0]), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream[0]), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(in.data(), memory[1], in.size(), cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(in, out);
  ASSERT_EQ(cudaMemset(memory[1], 7, 4096), cudaSuccess) << "memory of a device that is not current";
  ASSERT_EQ(cudaMemcpyAsync(memory[0], memory[1], 4096, cudaMemcpyDefault, stream[1]), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream[1]), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(in.data(), memory[0], in.size(), cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(in, std::vector<unsigned char>(4096, 7));
  EXPECT_EQ(cudaMemcpyPeer(memory[1], 2, memory[0], 0, 16), cudaErrorInvalidDevice);
}

TEST_F(SimCrossDevice, ACopyBetweenDevicesIsSlowerThanOneWithin) {
  constexpr std::size_t kBytes = std::size_t{1} << 30;
  void* large[3] = {};
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(cudaSetDevice(i / 2), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&large[i], kBytes), cudaSuccess);
  }
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  const auto time_of = [&](void* target) {
    const std::int64_t begin = now();
    EXPECT_EQ(cudaMemcpyAsync(target, large[0], kBytes, cudaMemcpyDefault, stream[0]), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream[0]), cudaSuccess);
    return now() - begin;
  };
  EXPECT_GT(time_of(large[2]), 2 * time_of(large[1]));
  for (void* p : large) EXPECT_EQ(cudaFree(p), cudaSuccess);
}

TEST_F(SimCrossDevice, AResetLeavesTheOtherDeviceAlone) {
  cudaEvent_t gone = nullptr;
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&gone), cudaSuccess);
  const cudaStream_t gone_stream = stream[1];
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(gone_stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventQuery(gone), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamSynchronize(stream[0]), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event[0]), cudaSuccess);
}

TEST_F(SimCrossDevice, AResetEndsACaptureOfTheDevice) {
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream[1], cudaStreamCaptureModeThreadLocal), cudaSuccess);
  EXPECT_EQ(cudaDeviceReset(), cudaErrorStreamCaptureUnsupported) << "it waits for the device";
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream[1], &graph), cudaErrorStreamCaptureInvalidated);
}

// A thread that ends takes its per-thread stream along, and the capture of it.
TEST_F(SimCrossDevice, AThreadThatEndsWhileItCapturesLeavesNothingBehind) {
  std::thread([] {
    EXPECT_EQ(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeRelaxed), cudaSuccess);
    launch_for(1000, cudaStreamPerThread);
  }).join();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  void* p = nullptr;
  EXPECT_EQ(cudaMalloc(&p, 64), cudaSuccess);
  EXPECT_EQ(cudaFree(p), cudaSuccess);
}

}  // namespace
}  // namespace zerostall::testing
