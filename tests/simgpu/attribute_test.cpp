// Attributes of runtime, driver and cudaDeviceProp agree with each other and with the compute capability.
#include <cuda.h>

#include <map>

#include "tests/simgpu/device.h"

namespace zerostall::testing {
namespace {

int runtime_value(int attribute) {
  int value = -9;
  EXPECT_EQ(cudaDeviceGetAttribute(&value, out_of_range<cudaDeviceAttr>(attribute), 0), cudaSuccess) << attribute;
  return value;
}

TEST(SimAttributes, RuntimeAndDriverGiveTheSameNumberForEach) {
  for (int a = 1; a <= cudaDevAttrOnlyPartialHostNativeAtomicSupported; ++a) {
    int value = -9;
    ASSERT_EQ(cuDeviceGetAttribute(&value, out_of_range<CUdevice_attribute>(a), 0), CUDA_SUCCESS) << a;
    EXPECT_EQ(value, runtime_value(a)) << a;
  }
  int value = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&value, out_of_range<cudaDeviceAttr>(0), 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, out_of_range<cudaDeviceAttr>(100000), 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 99), cudaErrorInvalidDevice);
  cudaGetLastError();
}

TEST(SimAttributes, PropertiesAreTheAttributes) {
  cudaDeviceProp p{};
  ASSERT_EQ(cudaGetDeviceProperties(&p, 0), cudaSuccess);
  EXPECT_EQ(p.multiProcessorCount, runtime_value(cudaDevAttrMultiProcessorCount));
  EXPECT_EQ(p.maxThreadsPerMultiProcessor, runtime_value(cudaDevAttrMaxThreadsPerMultiProcessor));
  EXPECT_EQ(static_cast<int>(p.sharedMemPerBlockOptin), runtime_value(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  EXPECT_EQ(p.maxGridSize[0], 2147483647);
  EXPECT_EQ(p.maxTexture2DLinear[1], runtime_value(cudaDevAttrMaxTexture2DLinearHeight));
  EXPECT_EQ(p.clusterLaunch, runtime_value(cudaDevAttrClusterLaunch));
  EXPECT_EQ(p.pciBusID, runtime_value(cudaDevAttrPciBusId));
  EXPECT_EQ(p.memoryPoolsSupported, 1);
  EXPECT_EQ(p.ipcEventSupported, 0) << "handles of other processes are not modelled";
}

TEST(SimAttributes, SharedMemoryFitsTheCapability) {
  // CUDA programming guide: shared memory per SM in KiB; a block may have all but 1 KiB of it.
  const std::map<int, int> kib = {{80, 164}, {86, 100}, {89, 100}, {90, 228}, {100, 228}, {120, 100}};
  const int capability = static_cast<int>(model().compute_major * 10 + model().compute_minor);
  ASSERT_TRUE(kib.contains(capability));
  EXPECT_EQ(runtime_value(cudaDevAttrMaxSharedMemoryPerMultiprocessor), kib.at(capability) * 1024);
  EXPECT_EQ(runtime_value(cudaDevAttrMaxSharedMemoryPerBlockOptin), (kib.at(capability) - 1) * 1024);
  EXPECT_EQ(runtime_value(cudaDevAttrClusterLaunch), capability >= 90);
}

TEST(SimMemory, EachDeviceHasItsOwnMemoryAndAddresses) {
  simgpu::MemoryMap& memory = simgpu::simulator().memory;
  const std::size_t before = memory.device_bytes(0), most = memory.capacity();
  void* p = memory.allocate_device(most, 1);
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(memory.device_bytes(0), before);
  EXPECT_EQ(memory.allocate_device(1, 1), nullptr) << "device 1 is full";
  void* q = memory.allocate_device(1, 2);
  EXPECT_EQ(memory.find(p).device, 1);
  EXPECT_EQ(memory.find(q).device, 2);
#ifndef __SANITIZE_THREAD__  // it has use for those addresses
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(q) - reinterpret_cast<std::uintptr_t>(p), std::uintptr_t{1} << 39);
#endif
  EXPECT_TRUE(memory.release(p, simgpu::MemoryKind::device));
  EXPECT_TRUE(memory.release(q, simgpu::MemoryKind::device));
}

}  // namespace
}  // namespace zerostall::testing
