// Stream-ordered pools, virtual memory management, managed and pinned memory, what an address is.
#include <cuda.h>
#include <unistd.h>

#include <vector>

#include "tests/simgpu/device.h"

namespace zerostall::testing {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

std::size_t free_bytes() {
  std::size_t free = 0, total = 0;
  EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  return free;
}

struct SimPool : ::testing::Test {
  void SetUp() override {
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = {cudaMemLocationTypeDevice, {0}};
    ASSERT_EQ(cudaMemPoolCreate(&pool, &properties), cudaSuccess);
  }
  void TearDown() override {
    cudaMemPoolDestroy(pool);
    cudaGetLastError();
  }
  std::uint64_t get(cudaMemPoolAttr attribute) {
    std::uint64_t value = 0;
    EXPECT_EQ(cudaMemPoolGetAttribute(pool, attribute, &value), cudaSuccess);
    return value;
  }
  void* allocate(std::size_t bytes) {
    void* p = nullptr;
    EXPECT_EQ(cudaMallocFromPoolAsync(&p, bytes, pool, nullptr), cudaSuccess);
    return p;
  }
  cudaMemPool_t pool = nullptr;
};

TEST_F(SimPool, UsedReservedAndTheirHighWaterMarks) {
  const std::size_t before = free_bytes();
  void* p = allocate(48 * kMiB);
  EXPECT_EQ(get(cudaMemPoolAttrUsedMemCurrent), 48 * kMiB);
  EXPECT_GE(get(cudaMemPoolAttrReservedMemCurrent), 48 * kMiB);
  EXPECT_EQ(before - free_bytes(), get(cudaMemPoolAttrReservedMemCurrent)) << "the device lends what pools reserve";
  ASSERT_EQ(cudaFreeAsync(p, nullptr), cudaSuccess);
  EXPECT_EQ(get(cudaMemPoolAttrUsedMemCurrent), 0u);
  EXPECT_EQ(get(cudaMemPoolAttrUsedMemHigh), 48 * kMiB);
  EXPECT_GE(get(cudaMemPoolAttrReservedMemCurrent), 48 * kMiB) << "kept until the host waits";
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(get(cudaMemPoolAttrReservedMemCurrent), 0u);
  EXPECT_EQ(free_bytes(), before);
  std::uint64_t zero = 0, one = 1;
  EXPECT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &one), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero), cudaSuccess);
  EXPECT_EQ(get(cudaMemPoolAttrUsedMemHigh), 0u);
}

TEST_F(SimPool, AReleaseThresholdKeepsMemoryUntilTrimmed) {
  std::uint64_t all = UINT64_MAX;
  ASSERT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all), cudaSuccess);
  ASSERT_EQ(cudaFreeAsync(allocate(kMiB), nullptr), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_GE(get(cudaMemPoolAttrReservedMemCurrent), kMiB);
  ASSERT_EQ(cudaMemPoolTrimTo(pool, 0), cudaSuccess);
  EXPECT_EQ(get(cudaMemPoolAttrReservedMemCurrent), 0u);
}

TEST_F(SimPool, NeitherAllocatingNorFreeingWaits) {
  launch_for(kLong);
  const std::int64_t begin = now();
  void* p = allocate(kMiB);
  ASSERT_EQ(cudaFreeAsync(p, nullptr), cudaSuccess);
  EXPECT_LT(now() - begin, 100'000);
  EXPECT_EQ(cudaFreeAsync(p, nullptr), cudaErrorInvalidValue) << "freed before";
  p = allocate(kMiB);
  EXPECT_EQ(cudaFree(p), cudaSuccess) << "waits, and frees what came from a pool too";
  EXPECT_GT(now() - begin, kLong);
  EXPECT_EQ(get(cudaMemPoolAttrUsedMemCurrent), 0u);
}

TEST_F(SimPool, UnusedMemoryOfAPoolDoesNotStandInTheWayOfCudaMalloc) {
  void *p = allocate(100 << 10), *q = nullptr;
  ASSERT_EQ(cudaFreeAsync(p, nullptr), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::size_t free = 0, total = 0;
  ASSERT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&q, free), cudaSuccess);
  EXPECT_EQ(cudaMallocFromPoolAsync(&p, kMiB, pool, nullptr), cudaErrorMemoryAllocation);
  cudaFree(q);
}

struct SimVirtual : ::testing::Test {
  void SetUp() override {
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
    properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    ASSERT_EQ(cuMemGetAllocationGranularity(&unit, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM), CUDA_SUCCESS);
    ASSERT_EQ(cuMemAddressReserve(&base, 4 * unit, 0, 0, 0), CUDA_SUCCESS);
    access.location = properties.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  }
  void TearDown() override { EXPECT_EQ(cuMemAddressFree(base, 4 * unit), CUDA_SUCCESS); }
  CUmemAllocationProp properties{};
  CUmemAccessDesc access{};
  std::size_t unit = 0;
  CUdeviceptr base = 0;
};

TEST_F(SimVirtual, MemoryIsThereOnceMappedAndAccessible) {
  const std::size_t before = free_bytes();
  CUmemGenericAllocationHandle a = 0, b = 0;
  ASSERT_EQ(cuMemCreate(&a, unit, &properties, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuMemCreate(&b, 2 * unit, &properties, 0), CUDA_SUCCESS);
  EXPECT_EQ(before - free_bytes(), 3 * unit);
  ASSERT_EQ(cuMemMap(base, unit, 0, a, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemMap(base, unit, 0, a, 0), CUDA_ERROR_INVALID_VALUE) << "something is mapped there";
  std::vector<int> sent(static_cast<std::size_t>(unit / 2), 7), back(sent.size());
  EXPECT_EQ(cuMemcpyHtoD(base, sent.data(), 16), CUDA_ERROR_INVALID_VALUE) << "no access yet";
  ASSERT_EQ(cuMemMap(base + unit, 2 * unit, 0, b, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuMemSetAccess(base, 3 * unit, &access, 1), CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyHtoD(base + unit / 2, sent.data(), 2 * unit), CUDA_SUCCESS) << "across two mappings";
  ASSERT_EQ(cuMemcpyDtoH(back.data(), base + unit / 2, 2 * unit), CUDA_SUCCESS);
  EXPECT_EQ(back, sent);
  EXPECT_EQ(cuMemcpyHtoD(base + 2 * unit, sent.data(), 2 * unit), CUDA_ERROR_INVALID_VALUE) << "over the end";
  EXPECT_EQ(cuMemAddressFree(base, 4 * unit), CUDA_ERROR_INVALID_VALUE) << "still mapped";
  ASSERT_EQ(cuMemRelease(a), CUDA_SUCCESS);
  EXPECT_EQ(before - free_bytes(), 3 * unit) << "a mapping keeps the memory";
  ASSERT_EQ(cuMemUnmap(base, 3 * unit), CUDA_SUCCESS);
  EXPECT_EQ(before - free_bytes(), 2 * unit);
  ASSERT_EQ(cuMemRelease(b), CUDA_SUCCESS);
  EXPECT_EQ(cuMemRelease(b), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(free_bytes(), before);
}

TEST_F(SimVirtual, HandlesTravelAsFileDescriptorsWithinTheProcess) {
  CUmemGenericAllocationHandle a = 0, b = 0;
  ASSERT_EQ(cuMemCreate(&a, unit, &properties, 0), CUDA_SUCCESS);
  int descriptor = -1;
  ASSERT_EQ(cuMemExportToShareableHandle(&descriptor, a, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuMemImportFromShareableHandle(&b, reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)),
                                           CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
            CUDA_SUCCESS);
  close(descriptor);
  EXPECT_EQ(a, b);
  EXPECT_EQ(cuMemRelease(a), CUDA_SUCCESS);
  EXPECT_EQ(cuMemRelease(b), CUDA_SUCCESS);
}

TEST(SimAllocation, PitchesAreMultiplesOf512) {
  void* p = nullptr;
  std::size_t pitch = 0;
  ASSERT_EQ(cudaMallocPitch(&p, &pitch, 513, 10), cudaSuccess);
  EXPECT_EQ(pitch, 1024u);
  EXPECT_EQ(cudaMemset2D(p, pitch, 1, 1024, 10), cudaSuccess);
  EXPECT_EQ(cudaMemset2D(p, pitch, 1, 1024, 11), cudaErrorInvalidValue);
  cudaFree(p);
  cudaPitchedPtr volume{};
  ASSERT_EQ(cudaMalloc3D(&volume, {100, 3, 2}), cudaSuccess);
  EXPECT_EQ(volume.pitch, 512u);
  EXPECT_EQ(volume.ysize, 3u);
  cudaFree(volume.ptr);
}

TEST(SimAllocation, FlagsOfPinnedMemory) {
  void* p = nullptr;
  EXPECT_EQ(cudaHostAlloc(&p, 16, 8), cudaErrorInvalidValue);
  ASSERT_EQ(cudaHostAlloc(&p, 16, cudaHostAllocPortable | cudaHostAllocMapped), cudaSuccess);
  unsigned flags = 0;
  ASSERT_EQ(cudaHostGetFlags(&flags, p), cudaSuccess);
  EXPECT_EQ(flags, unsigned{cudaHostAllocPortable | cudaHostAllocMapped});
  void* on_device = nullptr;
  ASSERT_EQ(cudaHostGetDevicePointer(&on_device, p, 0), cudaSuccess);
  EXPECT_EQ(on_device, p);
  cudaFreeHost(p);
  EXPECT_EQ(cudaHostGetFlags(&flags, p), cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST(SimAllocation, ManagedMemoryRemembersAdvice) {
  void* p = nullptr;
  EXPECT_EQ(cudaMallocManaged(&p, 0, cudaMemAttachGlobal), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocManaged(&p, 16, 0), cudaErrorInvalidValue);
  ASSERT_EQ(cudaMallocManaged(&p, kMiB, cudaMemAttachGlobal), cudaSuccess);
  const cudaMemLocation device{cudaMemLocationTypeDevice, {0}};
  ASSERT_EQ(cudaMemAdvise(p, kMiB, cudaMemAdviseSetReadMostly, device), cudaSuccess);
  ASSERT_EQ(cudaMemPrefetchAsync(p, kMiB, device, 0, nullptr), cudaSuccess);
  int read_mostly = 0, last = -5, preferred = -5;
  EXPECT_EQ(cudaMemRangeGetAttribute(&read_mostly, 4, cudaMemRangeAttributeReadMostly, p, kMiB), cudaSuccess);
  EXPECT_EQ(cudaMemRangeGetAttribute(&last, 4, cudaMemRangeAttributeLastPrefetchLocation, p, kMiB), cudaSuccess);
  EXPECT_EQ(cudaMemRangeGetAttribute(&preferred, 4, cudaMemRangeAttributePreferredLocation, p, kMiB), cudaSuccess);
  EXPECT_EQ(read_mostly, 1);
  EXPECT_EQ(last, 0);
  EXPECT_EQ(preferred, cudaInvalidDeviceId);
  int on_stack = 0;
  EXPECT_EQ(cudaMemPrefetchAsync(&on_stack, 4, device, 0, nullptr), cudaErrorInvalidValue);
  cudaFree(p);
  cudaGetLastError();
}

TEST(SimAllocation, WhatTheDriverKnowsOfAnAddress) {
  char* p = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&p), 1000), cudaSuccess);
  CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE,
                                  CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  CUdeviceptr start = 0, base = 0;
  std::size_t size = 0, bytes = 0;
  unsigned type = 0;
  int device = -1;
  void* data[] = {&start, &size, &type, &device};
  const auto inside = reinterpret_cast<CUdeviceptr>(p + 100);
  ASSERT_EQ(cuPointerGetAttributes(4, wanted, data, inside), CUDA_SUCCESS);
  EXPECT_EQ(start, reinterpret_cast<CUdeviceptr>(p));
  EXPECT_EQ(size, 1000u);
  EXPECT_EQ(type, unsigned{CU_MEMORYTYPE_DEVICE});
  EXPECT_EQ(device, 0);
  ASSERT_EQ(cuMemGetAddressRange(&base, &bytes, inside), CUDA_SUCCESS);
  EXPECT_EQ(base, start);
  ASSERT_EQ(cuPointerGetAttributes(4, wanted, data, reinterpret_cast<CUdeviceptr>(&size)), CUDA_SUCCESS);
  EXPECT_EQ(type, 0u);
  EXPECT_EQ(device, -2);
  EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(&size)),
            CUDA_ERROR_INVALID_VALUE);
  cudaFree(p);
}

}  // namespace
}  // namespace zerostall::testing
