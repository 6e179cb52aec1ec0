// Pools, pinned and managed memory in copies, functions and launches, priorities.
#include <cstring>

#include "tests/gpu/contract.h"

namespace zerostall::contract {
namespace {

constexpr std::size_t kBytes = 1 << 16;

template <class Value>
std::string attribute(cudaMemPoolAttr id) {
  cudaMemPool_t pool = nullptr;
  Value value = 77;
  CONTRACT_CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  CONTRACT_CHECK(cudaMemPoolGetAttribute(pool, id, &value));
  return std::to_string(value);
}

std::string pool_defaults() {
  return attribute<std::uint64_t>(cudaMemPoolAttrReleaseThreshold) +
         attribute<int>(cudaMemPoolReuseFollowEventDependencies) + attribute<int>(cudaMemPoolReuseAllowOpportunistic) +
         attribute<int>(cudaMemPoolReuseAllowInternalDependencies);
}

std::string pool_use() {
  const Stream stream;
  void* p = nullptr;
  CONTRACT_CHECK(cudaMallocAsync(&p, kBytes, stream));
  const std::string during = attribute<std::uint64_t>(cudaMemPoolAttrUsedMemCurrent);
  CONTRACT_CHECK(cudaFreeAsync(p, stream));
  CONTRACT_CHECK(cudaStreamSynchronize(stream));
  return during + ", then " + attribute<std::uint64_t>(cudaMemPoolAttrUsedMemCurrent);
}

std::string pool_reuse() {
  const Stream stream;
  void *first = nullptr, *second = nullptr;
  CONTRACT_CHECK(cudaMallocAsync(&first, kBytes, stream));
  CONTRACT_CHECK(cudaFreeAsync(first, stream));
  CONTRACT_CHECK(cudaMallocAsync(&second, kBytes, stream));
  CONTRACT_CHECK(cudaFreeAsync(second, stream));
  CONTRACT_CHECK(cudaStreamSynchronize(stream));
  return first == second ? "same address" : "another address";
}

std::string peer_copy_within() {
  const Stream stream;
  const Buffer a(Kind::device, kBytes), b(Kind::device, kBytes);
  CONTRACT_CHECK(cudaMemset(a.data, 3, kBytes));
  CONTRACT_CHECK(cudaDeviceSynchronize());
  CONTRACT_CHECK(cudaMemcpyPeerAsync(b.data, 0, a.data, 0, kBytes, stream));
  CONTRACT_CHECK(cudaStreamSynchronize(stream));
  unsigned char byte = 0;
  CONTRACT_CHECK(cudaMemcpy(&byte, b.data, 1, cudaMemcpyDeviceToHost));
  return std::to_string(byte);
}

std::string managed_both_sides() {
  const Buffer managed(Kind::managed, kBytes), device(Kind::device, kBytes);
  auto* bytes = static_cast<unsigned char*>(managed.data);
  std::memset(bytes, 4, kBytes);
  CONTRACT_CHECK(cudaMemcpy(device.data, bytes, kBytes, cudaMemcpyDefault));
  CONTRACT_CHECK(cudaMemset(bytes, 9, kBytes));
  CONTRACT_CHECK(cudaDeviceSynchronize());
  const int set = bytes[kBytes - 1];
  CONTRACT_CHECK(cudaMemcpy(bytes, device.data, kBytes, cudaMemcpyDefault));
  return std::to_string(set) + ", " + std::to_string(bytes[0]);
}

std::string memset_of_pinned() {
  const Buffer pinned(Kind::pinned, kBytes);
  CONTRACT_CHECK(cudaMemset(pinned.data, 6, kBytes));
  CONTRACT_CHECK(cudaDeviceSynchronize());
  return std::to_string(static_cast<unsigned char*>(pinned.data)[kBytes - 1]);
}
std::string memset_of_pageable() {
  const Buffer pageable(Kind::pageable, kBytes);
  const cudaError_t answer = cudaMemset(pageable.data, 6, kBytes);
  (void)cudaGetLastError();
  return name_of(answer);
}

std::string download_to_registered() {
  const Stream stream;
  std::vector<char> memory(kBytes);
  const Buffer device(Kind::device, kBytes);
  CONTRACT_CHECK(cudaHostRegister(memory.data(), kBytes, cudaHostRegisterDefault));
  keep_busy(stream);
  CONTRACT_CHECK(cudaMemcpyAsync(memory.data(), device.data, kBytes, cudaMemcpyDeviceToHost, stream));
  const std::string answer = waited(stream);
  CONTRACT_CHECK(cudaStreamSynchronize(stream));
  CONTRACT_CHECK(cudaHostUnregister(memory.data()));
  return answer;
}

std::string pinned_device_pointer() {
  const Buffer pinned(Kind::pinned, kBytes);
  void* device = nullptr;
  CONTRACT_CHECK(cudaHostGetDevicePointer(&device, pinned.data, 0));
  return device == pinned.data ? "the same" : "another";
}

std::string free_as_the_other_kind() {
  const Buffer pinned(Kind::pinned, kBytes), device(Kind::device, kBytes);
  const cudaError_t a = cudaFree(pinned.data), b = cudaFreeHost(device.data);
  (void)cudaGetLastError();
  return name_of(a) + ", " + name_of(b);
}

std::string copy_over_the_end() {
  const Buffer device(Kind::device, kBytes);
  std::vector<char> host(64 << 20);
  const cudaError_t answer = cudaMemcpy(device.data, host.data(), host.size(), cudaMemcpyHostToDevice);
  (void)cudaGetLastError();
  return name_of(answer);
}

char g_no_kernel;

std::string attributes_of_no_kernel() {
  cudaFuncAttributes attributes{};
  const cudaError_t answer = cudaFuncGetAttributes(&attributes, &g_no_kernel);
  (void)cudaGetLastError();
  return name_of(answer);
}
std::string launch_no_kernel() {
  const cudaError_t answer = cudaLaunchKernel(&g_no_kernel, dim3(1), dim3(32), nullptr, 0, nullptr);
  return name_of(answer) + ", " + name_of(cudaGetLastError());
}
std::string launch_no_blocks() {
  const cudaError_t answer = cudaLaunchKernel(&g_no_kernel, dim3(0), dim3(32), nullptr, 0, nullptr);
  (void)cudaGetLastError();
  return name_of(answer);
}
std::string occupancy_of_no_kernel() {
  int blocks = 0;
  const cudaError_t answer = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &g_no_kernel, 128, 0);
  (void)cudaGetLastError();
  return name_of(answer);
}

std::string priorities() {
  int least = 9, greatest = 9;
  CONTRACT_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  return std::to_string(least) + " to " + std::to_string(greatest);
}
std::string priority_clamped() {
  int least = 0, greatest = 0, got = 9;
  CONTRACT_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cudaStream_t stream = nullptr;
  CONTRACT_CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest - 100));
  CONTRACT_CHECK(cudaStreamGetPriority(stream, &got));
  CONTRACT_CHECK(cudaStreamDestroy(stream));
  return got == greatest ? "clamped" : "kept";
}

std::string unknown_error_text() {
  cudaError_t unknown{};
  const int number = 12345;
  static_assert(sizeof unknown == sizeof number);
  std::memcpy(&unknown, &number, sizeof number);
  return std::string(cudaGetErrorName(unknown)) + ", " + cudaGetErrorString(unknown);
}

}  // namespace

std::vector<Contract> support_contracts() {
  constexpr const char* kNoFunction = "cudaErrorInvalidDeviceFunction";
  return {
      {"attributes of the default pool", "0111", pool_defaults},
      {"use of the default pool", "65536, then 0", pool_use},
      {"cudaMallocAsync after cudaFreeAsync in one stream", "same address", pool_reuse, true},
      {"cudaMemcpyPeerAsync within a device", "3", peer_copy_within},
      {"managed memory, written by the host and by cudaMemset", "9, 4", managed_both_sides},
      {"cudaMemset of pinned memory", "6", memset_of_pinned},
      {"cudaMemset of pageable memory", "cudaErrorInvalidValue", memset_of_pageable, true},
      {"cudaMemcpyAsync to registered memory", "returns at once", download_to_registered},
      {"device pointer of pinned memory", "the same", pinned_device_pointer},
      {"cudaFree of pinned, cudaFreeHost of device memory", "cudaErrorInvalidValue, cudaErrorInvalidValue",
       free_as_the_other_kind},
      {"cudaMemcpy over the end of a block", "cudaErrorInvalidValue", copy_over_the_end, true},
      {"cudaFuncGetAttributes of no kernel", kNoFunction, attributes_of_no_kernel},
      {"launch of no kernel, and the last error", "cudaErrorInvalidDeviceFunction, cudaErrorInvalidDeviceFunction",
       launch_no_kernel},
      {"launch of no blocks of no kernel", "cudaErrorInvalidConfiguration", launch_no_blocks, true},
      {"occupancy of no kernel", kNoFunction, occupancy_of_no_kernel},
      {"priorities of streams", "0 to -5", priorities, true},
      {"priority beyond the range", "clamped", priority_clamped},
      {"name and text of an unknown error", "unrecognized error code, unrecognized error code", unknown_error_text},
  };
}

}  // namespace zerostall::contract
