// NVML: the devices CUDA shows, the memory this process uses, and an honest "no" for what is not modelled.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "profiler/simgpu/nvml/types.h"
#include "tests/simgpu/device.h"

namespace nvml = zerostall::simgpu::nvml;
using zerostall::testing::model;

namespace {

// As programs find NVML: by name, at run time.
template <class... Arguments>
int call(const char* name, Arguments... arguments) {
  static void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  auto* function = library ? reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name)) : nullptr;
  EXPECT_NE(function, nullptr) << name;
  return function ? function(arguments...) : -1;
}

struct Nvml : testing::Test {
  void SetUp() override {
    ASSERT_EQ(call("nvmlInit_v2"), nvml::kSuccess);
    ASSERT_EQ(call("nvmlDeviceGetHandleByIndex_v2", 0u, &device), nvml::kSuccess);
  }
  void TearDown() override { EXPECT_EQ(call("nvmlShutdown"), nvml::kSuccess); }
  nvml::Device* device = nullptr;
};

TEST(NvmlStart, NothingWorksBeforeInit) {
  unsigned count = 7;
  EXPECT_EQ(call("nvmlDeviceGetCount_v2", &count), nvml::kUninitialized);
  EXPECT_EQ(call("nvmlShutdown"), nvml::kUninitialized);
  EXPECT_EQ(count, 7u);
}

TEST_F(Nvml, CountsAndNamesTheDevicesOfCuda) {
  unsigned count = 0;
  int devices = 0;
  char name[96];
  EXPECT_EQ(call("nvmlDeviceGetCount_v2", &count), nvml::kSuccess);
  ASSERT_EQ(cudaGetDeviceCount(&devices), cudaSuccess);
  EXPECT_EQ(static_cast<int>(count), devices);
  EXPECT_EQ(call("nvmlDeviceGetName", device, &name[0], 96u), nvml::kSuccess);
  EXPECT_EQ(model().name, name);
  EXPECT_EQ(call("nvmlDeviceGetName", device, &name[0], 3u), nvml::kInsufficientSize);
}

TEST_F(Nvml, MemoryInUseFollowsAllocations) {
  nvml::MemoryInfo before{}, after{};
  ASSERT_EQ(call("nvmlDeviceGetMemoryInfo", device, &before), nvml::kSuccess);
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 1 << 30), cudaSuccess);
  ASSERT_EQ(call("nvmlDeviceGetMemoryInfo", device, &after), nvml::kSuccess);
  EXPECT_EQ(after.used - before.used, 1ull << 30);
  EXPECT_EQ(after.free + after.used, after.total);
  EXPECT_EQ(after.total, static_cast<unsigned long long>(model().memory_bytes));
  unsigned count = 0;
  EXPECT_EQ(call("nvmlDeviceGetComputeRunningProcesses_v3", device, &count, static_cast<nvml::Process*>(nullptr)),
            nvml::kInsufficientSize);
  nvml::Process process{};
  ASSERT_EQ(call("nvmlDeviceGetComputeRunningProcesses_v3", device, &count, &process), nvml::kSuccess);
  EXPECT_EQ(process.pid, static_cast<unsigned>(getpid()));
  EXPECT_EQ(process.used_bytes, after.used);
  cudaFree(memory);
}

TEST_F(Nvml, DevicesAreFoundByTheirNames) {
  char uuid[96];
  nvml::PciInfo pci{};
  nvml::Device* found = nullptr;
  ASSERT_EQ(call("nvmlDeviceGetUUID", device, &uuid[0], 96u), nvml::kSuccess);
  EXPECT_EQ(call("nvmlDeviceGetHandleByUUID", static_cast<const char*>(uuid), &found), nvml::kSuccess);
  EXPECT_EQ(found, device);
  ASSERT_EQ(call("nvmlDeviceGetPciInfo_v3", device, &pci), nvml::kSuccess);
  found = nullptr;
  EXPECT_EQ(call("nvmlDeviceGetHandleByPciBusId_v2", static_cast<const char*>(pci.bus_id), &found), nvml::kSuccess);
  EXPECT_EQ(found, device);
  EXPECT_EQ(call("nvmlDeviceGetHandleByUUID", "GPU-00000000-0000-0000-0000-000000000000", &found), nvml::kNotFound);
  EXPECT_EQ(call("nvmlDeviceGetHandleByIndex_v2", 99u, &found), nvml::kInvalidArgument);
}

// PyTorch looks for the device's NVML handle by the bus id that CUDA tells, when it runs out of memory.
TEST_F(Nvml, CudaAndNvmlAgreeOnWhichDeviceIsWhich) {
  cudaDeviceProp properties{};
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  char bus_id[32], uuid[96];
  std::snprintf(bus_id, sizeof bus_id, "%08x:%02x:%02x.0", properties.pciDomainID, properties.pciBusID,
                properties.pciDeviceID);
  nvml::Device* found = nullptr;
  EXPECT_EQ(call("nvmlDeviceGetHandleByPciBusId_v2", static_cast<const char*>(bus_id), &found), nvml::kSuccess);
  EXPECT_EQ(found, device);
  ASSERT_EQ(call("nvmlDeviceGetUUID", device, &uuid[0], 96u), nvml::kSuccess);
  char first_bytes[16];
  const auto* bytes = reinterpret_cast<const unsigned char*>(properties.uuid.bytes);
  std::snprintf(first_bytes, sizeof first_bytes, "GPU-%02x%02x%02x%02x-", bytes[0], bytes[1], bytes[2], bytes[3]);
  EXPECT_EQ(std::string(uuid).rfind(first_bytes, 0), 0u) << uuid;
}

TEST_F(Nvml, WhatIsNotModelledSaysSo) {
  unsigned celsius = 0, milliwatts = 0;
  EXPECT_EQ(call("nvmlDeviceGetTemperature", device, 0, &celsius), nvml::kNotSupported);
  EXPECT_EQ(call("nvmlDeviceGetPowerUsage", device, &milliwatts), nvml::kNotSupported);
}

}  // namespace
