// Memory kinds, sizes, addresses.
#include <malloc.h>

#include <cstring>
#include <fstream>
#include <vector>

#include "tests/simgpu/device.h"

namespace zerostall::testing {
namespace {

cudaMemoryType type_of(const void* p) {
  cudaPointerAttributes a{};
  EXPECT_EQ(cudaPointerGetAttributes(&a, p), cudaSuccess);
  return a.type;
}

long resident_kb() {
  std::ifstream in("/proc/self/statm");
  long total = 0, resident = 0;
  in >> total >> resident;
  return resident * 4;
}

TEST(SimMemory, KindIsKnownForEveryAddressInsideAnAllocationAndNotBeyond) {
  char *device = nullptr, *pinned = nullptr, *managed = nullptr;
  std::vector<char> heap(100), registered(8192);
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&device), 1000), cudaSuccess);
  ASSERT_EQ(cudaHostAlloc(reinterpret_cast<void**>(&pinned), 1000, 0), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&managed), 1000, 1), cudaSuccess);
  ASSERT_EQ(cudaHostRegister(registered.data(), registered.size(), 0), cudaSuccess);
  for (const int offset : {0, 1, 999}) {
    EXPECT_EQ(type_of(device + offset), cudaMemoryTypeDevice);
    EXPECT_EQ(type_of(pinned + offset), cudaMemoryTypeHost);
    EXPECT_EQ(type_of(managed + offset), cudaMemoryTypeManaged);
  }
  EXPECT_EQ(type_of(device + 1000), cudaMemoryTypeUnregistered);
  EXPECT_EQ(type_of(heap.data()), cudaMemoryTypeUnregistered);
  EXPECT_EQ(type_of(registered.data() + 8191), cudaMemoryTypeHost);
  EXPECT_EQ(cudaHostRegister(registered.data() + 100, 10, 0), cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(cudaHostUnregister(registered.data()), cudaSuccess);
  EXPECT_EQ(type_of(registered.data()), cudaMemoryTypeUnregistered);
  EXPECT_EQ(cudaHostUnregister(registered.data()), cudaErrorHostMemoryNotRegistered);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_EQ(cudaFree(device), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  EXPECT_EQ(cudaFree(managed), cudaSuccess);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
}

TEST(SimMemory, OutOfMemoryAtTheModelsSizeWithTheRealError) {
  std::size_t free_before = 0, total = 0, free_after = 0;
  ASSERT_EQ(cudaMemGetInfo(&free_before, &total), cudaSuccess);
  EXPECT_EQ(total, static_cast<std::size_t>(model().memory_bytes));
  void* p = nullptr;
  EXPECT_EQ(cudaMalloc(&p, total + 1), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "reading the last error clears it";
  ASSERT_EQ(cudaMalloc(&p, std::size_t{60} << 30), cudaSuccess);
  ASSERT_EQ(cudaMemGetInfo(&free_after, &total), cudaSuccess);
  EXPECT_EQ(free_before - free_after, std::size_t{60} << 30);
  void* q = nullptr;
  EXPECT_EQ(cudaMalloc(&q, std::size_t{100} << 30), cudaErrorMemoryAllocation) << "60 + 100 GiB do not fit";
  EXPECT_EQ(cudaFree(p), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&q, std::size_t{100} << 30), cudaSuccess);
  EXPECT_EQ(cudaFree(q), cudaSuccess);
  cudaGetLastError();
}

TEST(SimMemory, DeviceAddressesAreTheSameEveryTimeAndFreedBlocksAreJoined) {
  void *a = nullptr, *b = nullptr, *c = nullptr, *whole = nullptr;
  ASSERT_EQ(cudaMalloc(&a, 1 << 20), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&b, 1 << 20), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&c, 1 << 20), cudaSuccess);
  cudaFree(a);
  cudaFree(c);
  cudaFree(b);  // joins its neighbours on both sides
  ASSERT_EQ(cudaMalloc(&whole, 3 << 20), cudaSuccess);
  EXPECT_EQ(whole, a);
  cudaFree(whole);
}

TEST(SimMemory, WeightsCostLittleRealMemory) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer keeps a shadow of what is written";
#endif
  const std::size_t bytes = std::size_t{8} << 30;
  void* weights = nullptr;
  ASSERT_EQ(cudaMalloc(&weights, bytes), cudaSuccess);
  std::vector<char> chunk(64 << 20, 'w');
  const long before = resident_kb();
  for (std::size_t at = 0; at < bytes; at += chunk.size())
    ASSERT_EQ(cudaMemcpy(static_cast<char*>(weights) + at, chunk.data(), chunk.size(), cudaMemcpyHostToDevice),
              cudaSuccess);
  ASSERT_EQ(cudaMemset(weights, 0, bytes), cudaSuccess);
  EXPECT_LT(resident_kb() - before, 272 * 1024) << "uploads are kept up to 256 MiB";
  cudaFree(weights);
}

TEST(SimMemory, FreedMemoryComesBackAsZeros) {
  void *p = nullptr, *q = nullptr;
  char text[16] = "left over";
  ASSERT_EQ(cudaMalloc(&p, 4096), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(p, text, sizeof text, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaFree(p), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&q, 4096), cudaSuccess);
  ASSERT_EQ(p, q);
  std::vector<char> back(64, 'x');  // more than a scalar: the stored bytes are returned
  ASSERT_EQ(cudaMemcpy(back.data(), q, back.size(), cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(back, std::vector<char>(64, 0));
  cudaFree(q);
}

TEST(SimMemory, CudaFreeWaitsForTheDevice) {
  void* p = nullptr;
  ASSERT_EQ(cudaMalloc(&p, 4096), cudaSuccess);
  const std::int64_t before = now();
  launch_for(kLong);
  EXPECT_LT(now() - before, kLong);
  cudaFree(p);
  EXPECT_GT(now() - before, kLong);
}

}  // namespace
}  // namespace zerostall::testing
