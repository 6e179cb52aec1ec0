// Both majors in one process: each runtime keeps its own forms of the functions, the device behind them is one.
#include <cuda_runtime_api.h>

#include <cstring>

#include "tests/simgpu/preload/library.h"

using namespace zerostall::testing;

namespace {

void* v12() {
  static void* handle = library("libcudart.so.12");
  return handle;
}
void* v13() {
  static void* handle = library("libcudart.so.13");
  return handle;
}

TEST(Cuda12, EachRuntimeKnowsItsVersionAndTheDriverIsOne) {
  int old_version = 0, new_version = 0, old_driver = 0, new_driver = 0;
  EXPECT_EQ(call(v12(), "cudaRuntimeGetVersion", &old_version), cudaSuccess);
  EXPECT_EQ(call(v13(), "cudaRuntimeGetVersion", &new_version), cudaSuccess);
  EXPECT_EQ(call(v12(), "cudaDriverGetVersion", &old_driver), cudaSuccess);
  EXPECT_EQ(call(v13(), "cudaDriverGetVersion", &new_driver), cudaSuccess);
  EXPECT_EQ(old_version / 1000, 12);
  EXPECT_EQ(new_version / 1000, 13);
  EXPECT_EQ(old_driver, new_driver);
  EXPECT_GE(old_driver, new_version);
}

TEST(Cuda12, MemoryAndStreamsAreShared) {
  void* memory = nullptr;
  cudaStream_t stream = nullptr;
  ASSERT_EQ(call(v12(), "cudaMalloc", &memory, std::size_t{4096}), cudaSuccess);
  ASSERT_EQ(call(v12(), "cudaStreamCreateWithFlags", &stream, 1u), cudaSuccess);
  EXPECT_EQ(call(v13(), "cudaMemsetAsync", memory, 7, std::size_t{4096}, stream), cudaSuccess);
  EXPECT_EQ(call(v12(), "cudaStreamSynchronize", stream), cudaSuccess);
  char byte = 0;
  EXPECT_EQ(call(v12(), "cudaMemcpy", static_cast<void*>(&byte), static_cast<const void*>(memory), std::size_t{1},
                 static_cast<int>(cudaMemcpyDeviceToHost)),
            cudaSuccess);
  EXPECT_EQ(byte, 7);
  EXPECT_EQ(call(v13(), "cudaFree", memory), cudaSuccess);
  EXPECT_EQ(call(v13(), "cudaStreamDestroy", stream), cudaSuccess);
}

// CUDA 12's cudaDeviceProp: 1,032 bytes; clockRate lies behind maxGridSize, where CUDA 13 has none. Its first form, of
// CUDA 11, ends behind reservedSharedMemPerBlock.
constexpr std::size_t kSize12 = 1032, kSize11 = 728, kGuard = 64;
constexpr std::size_t kClockRate = 348, kMajor = 360, kMultiProcessorCount = 388;

int read_int(const unsigned char* bytes, std::size_t offset) {
  int value = 0;
  std::memcpy(&value, bytes + offset, sizeof value);
  return value;
}

TEST(Cuda12, DevicePropertiesHaveTheLayoutOfCuda12) {
  cudaDeviceProp now{};
  ASSERT_EQ(call(v13(), "cudaGetDeviceProperties", &now, 0), cudaSuccess);
  int clock_khz = 0;
  ASSERT_EQ(call(v13(), "cudaDeviceGetAttribute", &clock_khz, static_cast<int>(cudaDevAttrClockRate), 0), cudaSuccess);
  for (const auto& [name, size] :
       {std::pair{"cudaGetDeviceProperties_v2", kSize12}, {"cudaGetDeviceProperties", kSize11}}) {
    unsigned char bytes[kSize12 + kGuard];
    std::memset(bytes, 0xAB, sizeof bytes);
    ASSERT_EQ(call(v12(), name, &bytes[0], 0), cudaSuccess);
    EXPECT_STREQ(reinterpret_cast<char*>(bytes), now.name);
    EXPECT_EQ(read_int(bytes, kClockRate), clock_khz);
    EXPECT_EQ(read_int(bytes, kMajor), now.major);
    EXPECT_EQ(read_int(bytes, kMajor + 4), now.minor);
    EXPECT_EQ(read_int(bytes, kMultiProcessorCount), now.multiProcessorCount);
    for (std::size_t i = 0; i < kGuard; ++i) ASSERT_EQ(bytes[size + i], 0xAB) << name << " writes too much";
  }
  EXPECT_EQ(call(v12(), "cudaGetDeviceProperties_v2", static_cast<void*>(nullptr), 0), cudaErrorInvalidValue);
}

TEST(Cuda12, PointerAttributesFitIntoTheShorterStruct) {
  void* memory = nullptr;
  ASSERT_EQ(call(v12(), "cudaMalloc", &memory, std::size_t{256}), cudaSuccess);
  unsigned char bytes[24 + kGuard];
  std::memset(bytes, 0xAB, sizeof bytes);
  ASSERT_EQ(call(v12(), "cudaPointerGetAttributes", &bytes[0], static_cast<const void*>(memory)), cudaSuccess);
  EXPECT_EQ(read_int(bytes, 0), cudaMemoryTypeDevice);
  for (std::size_t i = 0; i < kGuard; ++i) ASSERT_EQ(bytes[24 + i], 0xAB);
  EXPECT_EQ(call(v12(), "cudaFree", memory), cudaSuccess);
}

TEST(Cuda12, OldNamesOfTodaysFunctions) {
  EXPECT_EQ(call(v12(), "cudaThreadSynchronize"), cudaSuccess);
  void* function = nullptr;
  EXPECT_EQ(call(v12(), "cudaGetDriverEntryPoint", "cuDeviceGetCount", &function, 0ull, static_cast<int*>(nullptr)),
            cudaSuccess);
  EXPECT_NE(function, nullptr);
}

TEST(Cuda12, CaptureInfoWithoutEdgeData) {
  int status = -1;
  unsigned long long id = 1;
  cudaStream_t stream = nullptr;
  ASSERT_EQ(call(v12(), "cudaStreamCreateWithFlags", &stream, 1u), cudaSuccess);
  ASSERT_EQ(call(v12(), "cudaStreamGetCaptureInfo_v2", stream, &status, &id, static_cast<void*>(nullptr),
                 static_cast<void*>(nullptr), static_cast<std::size_t*>(nullptr)),
            cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusNone);
  EXPECT_EQ(call(v12(), "cudaStreamDestroy", stream), cudaSuccess);
}

}  // namespace
