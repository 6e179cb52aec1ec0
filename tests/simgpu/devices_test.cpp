// Several devices, contexts, per-thread streams.
#include <cuda.h>

#include <cstdlib>
#include <cstring>
#include <thread>

#include "tests/simgpu/device.h"

extern "C" cudaError_t cudaLaunchKernel_ptsz(const void*, dim3, dim3, void**, std::size_t, cudaStream_t);
extern "C" cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t);

namespace zerostall::testing {
namespace {

const int g_two_devices = setenv("ZEROSTALL_SIM_GPUS", "2", 1);  // before the first CUDA call of the process

struct SimDevices : ::testing::Test {
  void SetUp() override {
    ASSERT_EQ(g_two_devices, 0);
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  }
  void TearDown() override {
    cudaSetDevice(0);
    cudaGetLastError();
  }
};

TEST_F(SimDevices, TheCurrentDeviceBelongsToTheThread) {
  int count = 0, device = -1;
  ASSERT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(cudaSetDevice(2), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  std::thread([] {
    int other = -1;
    EXPECT_EQ(cudaGetDevice(&other), cudaSuccess);
    EXPECT_EQ(other, 0) << "a new thread begins on the first";
  }).join();
  ASSERT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 1);
}

TEST_F(SimDevices, SynchronizeWaitsForTheCurrentDeviceOnly) {
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  launch_for(10 * kLong);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  const std::int64_t begin = now();
  launch_for(kLong);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_LT(now() - begin, 2 * kLong);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_GT(now() - begin, 9 * kLong);
}

TEST_F(SimDevices, StreamsAndEventsBelongToADevice) {
  cudaStream_t stream = nullptr;
  cudaEvent_t here = nullptr, there = nullptr;
  ASSERT_EQ(cudaEventCreate(&here), cudaSuccess);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&there), cudaSuccess);
  int device = 0;
  ASSERT_EQ(cudaStreamGetDevice(stream, &device), cudaSuccess);
  EXPECT_EQ(device, 1);
  launch_for(kLong, stream);
  EXPECT_EQ(cudaEventRecord(here, stream), cudaErrorInvalidResourceHandle) << "an event of the other device";
  ASSERT_EQ(cudaEventRecord(there, stream), cudaSuccess);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  static char stub, name[] = "kernel_of_device_0";
  __cudaRegisterFunction(nullptr, &stub, name, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  EXPECT_EQ(cudaLaunchKernel(&stub, 1, 1, nullptr, 0, stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaLaunchKernel(&stub, 1, 2048, nullptr, 0, nullptr), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaLaunchKernel(&name, 1, 1, nullptr, 0, nullptr), cudaErrorInvalidDeviceFunction);
  const std::int64_t begin = now();
  ASSERT_EQ(cudaStreamWaitEvent(nullptr, there, 0), cudaSuccess) << "but another device may wait for it";
  launch_for(kLong);
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_GT(now() - begin, 2 * kLong - 200'000);
  float ms = 0;
  EXPECT_EQ(cudaEventElapsedTime(&ms, here, there), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  cudaEventDestroy(here);
  cudaEventDestroy(there);
}

TEST_F(SimDevices, PeersAreEnabledOnce) {
  int can = 0;
  ASSERT_EQ(cudaDeviceCanAccessPeer(&can, 0, 1), cudaSuccess);
  EXPECT_EQ(can, 1);
  ASSERT_EQ(cudaDeviceCanAccessPeer(&can, 0, 0), cudaSuccess);
  EXPECT_EQ(can, 0);
  EXPECT_EQ(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceDisablePeerAccess(1), cudaSuccess);
}

TEST_F(SimDevices, DevicesCanBeToldApart) {
  char a[32] = {}, b[32] = {};
  ASSERT_EQ(cudaDeviceGetPCIBusId(a, sizeof a, 0), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetPCIBusId(b, sizeof b, 1), cudaSuccess);
  EXPECT_STRNE(a, b);
  int device = -1;
  ASSERT_EQ(cudaDeviceGetByPCIBusId(&device, b), cudaSuccess);
  EXPECT_EQ(device, 1);
  cudaDeviceProp first{}, second{};
  ASSERT_EQ(cudaGetDeviceProperties(&first, 0), cudaSuccess);
  ASSERT_EQ(cudaGetDeviceProperties(&second, 1), cudaSuccess);
  EXPECT_NE(std::memcmp(first.uuid.bytes, second.uuid.bytes, 16), 0);
  CUuuid uuid{};
  ASSERT_EQ(cuDeviceGetUuid(&uuid, 1), CUDA_SUCCESS);
  EXPECT_EQ(std::memcmp(uuid.bytes, second.uuid.bytes, 16), 0) << "runtime and driver agree";
}

TEST_F(SimDevices, DriverContextsAndTheCurrentDeviceAreOne) {
  std::thread([] {
    CUcontext context = reinterpret_cast<CUcontext>(1);
    ASSERT_EQ(cuCtxGetCurrent(&context), CUDA_SUCCESS);
    EXPECT_EQ(context, nullptr) << "a new thread has none";
    CUdevice none = 0;
    EXPECT_EQ(cuCtxGetDevice(&none), CUDA_ERROR_INVALID_CONTEXT);
    ASSERT_EQ(cuDevicePrimaryCtxRetain(&context, 1), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
    int device = -1;
    ASSERT_EQ(cudaGetDevice(&device), cudaSuccess);
    EXPECT_EQ(device, 1);
    CUcontext made = nullptr, popped = nullptr, after = nullptr;
    ASSERT_EQ(cuCtxCreate(&made, nullptr, 0, 0), CUDA_SUCCESS);
    ASSERT_EQ(cudaGetDevice(&device), cudaSuccess);
    EXPECT_EQ(device, 0);
    ASSERT_EQ(cuCtxPopCurrent(&popped), CUDA_SUCCESS);
    EXPECT_EQ(popped, made);
    ASSERT_EQ(cuCtxGetCurrent(&after), CUDA_SUCCESS);
    EXPECT_EQ(after, context);
    EXPECT_EQ(cuCtxDestroy(made), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSetCurrent(reinterpret_cast<CUcontext>(0x1234)), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuDevicePrimaryCtxRelease(1), CUDA_SUCCESS);
  }).join();
}

TEST_F(SimDevices, LimitsAndFlagsAreKeptPerDevice) {
  std::size_t stack = 0;
  ASSERT_EQ(cudaDeviceSetLimit(cudaLimitStackSize, 4096), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetLimit(&stack, cudaLimitStackSize), cudaSuccess);
  EXPECT_EQ(stack, 4096u);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetLimit(&stack, cudaLimitStackSize), cudaSuccess);
  EXPECT_EQ(stack, 1024u);
  unsigned flags = 0;
  ASSERT_EQ(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync), cudaSuccess);
  ASSERT_EQ(cudaGetDeviceFlags(&flags), cudaSuccess);
  EXPECT_EQ(flags, static_cast<unsigned>(cudaDeviceScheduleBlockingSync | cudaDeviceMapHost));
  EXPECT_EQ(cudaSetDeviceFlags(cudaDeviceScheduleSpin | cudaDeviceScheduleYield), cudaErrorInvalidValue);
  ASSERT_EQ(cudaSetDeviceFlags(0), cudaSuccess);
}

TEST_F(SimDevices, EachThreadHasItsOwnDefaultStream) {
  cudaDeviceSynchronize();
  const std::int64_t begin = now();
  launch_for(10 * kLong, cudaStreamPerThread);
  std::thread([begin] {
    launch_for(kLong, cudaStreamPerThread);
    ASSERT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
    EXPECT_LT(now() - begin, 9 * kLong) << "the other thread's stream is another one";
    ASSERT_EQ(cudaStreamSynchronize_ptsz(nullptr), cudaSuccess) << "with this suffix null is the thread's own stream";
    EXPECT_LT(now() - begin, 9 * kLong);
  }).join();
  launch_for(kLong, nullptr);
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_GT(now() - begin, 11 * kLong) << "the legacy stream waits for per-thread streams, which are blocking ones";
}

TEST_F(SimDevices, WaitingForAnEventOrdersOnlyWhatFollowsAndKeepsItsVersion) {
  cudaStream_t a = nullptr, b = nullptr;
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
  launch_for(kLong, a);
  ASSERT_EQ(cudaEventRecord(event, a), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(b, event, 0), cudaSuccess);
  launch_for(20 * kLong, a);
  ASSERT_EQ(cudaEventRecord(event, a), cudaSuccess);
  const std::int64_t begin = now();
  launch_for(kLong, b);
  ASSERT_EQ(cudaStreamSynchronize(b), cudaSuccess);
  EXPECT_LT(now() - begin, 3 * kLong) << "b waits for the first record";
  float ms = 0;
  EXPECT_EQ(cudaEventElapsedTime(&ms, event, event), cudaErrorInvalidResourceHandle) << "made without timing";
  cudaDeviceSynchronize();
  for (cudaStream_t s : {a, b}) cudaStreamDestroy(s);
  cudaEventDestroy(event);
}

}  // namespace
}  // namespace zerostall::testing
