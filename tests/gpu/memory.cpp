// Kinds of memory, bytes that really move, errors and the last error.
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#include "tests/gpu/contract.h"

namespace zerostall::contract {
namespace {

constexpr std::size_t kBytes = 1 << 16;

std::string type_of(const void* pointer) {
  cudaPointerAttributes attributes{};
  CONTRACT_CHECK(cudaPointerGetAttributes(&attributes, pointer));
  switch (attributes.type) {
    case cudaMemoryTypeUnregistered:
      return "unregistered";
    case cudaMemoryTypeHost:
      return "host";
    case cudaMemoryTypeDevice:
      return "device";
    case cudaMemoryTypeManaged:
      return "managed";
    default:
      return "?";
  }
}
template <Kind kind>
std::string type_inside() {
  const Buffer buffer(kind, kBytes);
  const char* data = static_cast<const char*>(buffer.data);
  return type_of(data) + ", inside " + type_of(data + kBytes / 2 + 3);
}
std::string type_registered() {
  std::vector<char> memory(kBytes);
  CONTRACT_CHECK(cudaHostRegister(memory.data(), kBytes, cudaHostRegisterDefault));
  const std::string during = type_of(memory.data() + 100);
  CONTRACT_CHECK(cudaHostUnregister(memory.data()));
  return during + ", then " + type_of(memory.data() + 100);
}
std::string type_stream_ordered() {
  const Stream stream;
  void* p = nullptr;
  CONTRACT_CHECK(cudaMallocAsync(&p, kBytes, stream));
  const std::string answer = type_of(p);
  CONTRACT_CHECK(cudaFreeAsync(p, stream));
  return answer;
}
std::string register_twice() {
  std::vector<char> memory(kBytes);
  CONTRACT_CHECK(cudaHostRegister(memory.data(), kBytes, cudaHostRegisterDefault));
  const cudaError_t answer = cudaHostRegister(memory.data(), kBytes, cudaHostRegisterDefault);
  (void)cudaGetLastError();
  CONTRACT_CHECK(cudaHostUnregister(memory.data()));
  return name_of(answer);
}

std::string round_trip() {
  std::vector<unsigned char> out(kBytes), in(kBytes, 0);
  std::iota(out.begin(), out.end(), static_cast<unsigned char>(3));
  const Buffer a(Kind::device, kBytes), b(Kind::device, kBytes);
  CONTRACT_CHECK(cudaMemcpy(a.data, out.data(), kBytes, cudaMemcpyHostToDevice));
  CONTRACT_CHECK(cudaMemcpy(b.data, a.data, kBytes, cudaMemcpyDeviceToDevice));
  CONTRACT_CHECK(cudaMemcpy(in.data(), b.data, kBytes, cudaMemcpyDeviceToHost));
  return in == out ? "same bytes" : "other bytes";
}
std::string memset_bytes() {
  std::vector<unsigned char> in(kBytes, 0);
  const Buffer a(Kind::device, kBytes);
  CONTRACT_CHECK(cudaMemset(a.data, 0xAB, kBytes));
  CONTRACT_CHECK(cudaMemcpy(in.data(), a.data, kBytes, cudaMemcpyDeviceToHost));
  return in == std::vector<unsigned char>(kBytes, 0xAB) ? "set" : "not set";
}
std::string copy_2d() {
  constexpr std::size_t kPitch = 64, kWidth = 24, kRows = 16;
  std::vector<unsigned char> out(kPitch * kRows), in(kWidth * kRows, 0), wanted;
  std::iota(out.begin(), out.end(), static_cast<unsigned char>(0));
  for (std::size_t r = 0; r < kRows; ++r)
    wanted.insert(wanted.end(), out.begin() + static_cast<long>(r * kPitch),
                  out.begin() + static_cast<long>(r * kPitch + kWidth));
  const Buffer device(Kind::device, kBytes);
  CONTRACT_CHECK(cudaMemcpy2D(device.data, 32, out.data(), kPitch, kWidth, kRows, cudaMemcpyHostToDevice));
  CONTRACT_CHECK(cudaMemcpy2D(in.data(), kWidth, device.data, 32, kWidth, kRows, cudaMemcpyDeviceToHost));
  return in == wanted ? "same bytes" : "other bytes";
}
std::string copy_wrong_direction() {
  const Buffer device(Kind::device, kBytes);
  std::vector<char> host(kBytes);
  const cudaError_t answer = cudaMemcpy(host.data(), device.data, kBytes, cudaMemcpyHostToDevice);
  (void)cudaGetLastError();
  return name_of(answer);
}
std::string copy_bad_kind() {
  const Buffer device(Kind::device, kBytes);
  const cudaError_t answer = cudaMemcpy(device.data, device.data, kBytes, static_cast<cudaMemcpyKind>(7));
  (void)cudaGetLastError();
  return name_of(answer);
}
std::string copy_of_nothing() { return name_of(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDefault)); }

std::string out_of_memory() {
  std::size_t free_bytes = 0, total_bytes = 0;
  CONTRACT_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
  void* p = nullptr;
  const cudaError_t answer = cudaMalloc(&p, total_bytes * 2);
  const cudaError_t peeked = cudaPeekAtLastError(), first = cudaGetLastError(), second = cudaGetLastError();
  return name_of(answer) + " " + name_of(peeked) + " " + name_of(first) + " " + name_of(second);
}
std::string memory_info() {
  std::size_t before = 0, during = 0, after = 0, total = 0;
  CONTRACT_CHECK(cudaMemGetInfo(&before, &total));
  {
    const Buffer buffer(Kind::device, std::size_t{256} << 20);
    CONTRACT_CHECK(cudaMemGetInfo(&during, &total));
  }
  CONTRACT_CHECK(cudaMemGetInfo(&after, &total));
  return before - during == (std::size_t{256} << 20) && after == before ? "exact" : "inexact";
}
std::string malloc_nothing() {
  void* p = &p;
  const cudaError_t answer = cudaMalloc(&p, 0);
  return name_of(answer) + (p == nullptr ? ", null" : ", an address");
}
std::string free_null() { return name_of(cudaFree(nullptr)); }
std::string free_twice() {
  void* p = nullptr;
  CONTRACT_CHECK(cudaMalloc(&p, 1024));
  CONTRACT_CHECK(cudaFree(p));
  const cudaError_t answer = cudaFree(p);
  (void)cudaGetLastError();
  return name_of(answer);
}
std::string unknown_device() {
  const cudaError_t answer = cudaSetDevice(999);
  (void)cudaGetLastError();
  return name_of(answer);
}
std::string success_keeps_error() {
  (void)cudaSetDevice(999);
  CONTRACT_CHECK(cudaDeviceSynchronize());
  return name_of(cudaGetLastError());
}
std::string alignment() {
  const Buffer a(Kind::device, 3), b(Kind::device, 3);
  const auto bad = (reinterpret_cast<std::uintptr_t>(a.data) | reinterpret_cast<std::uintptr_t>(b.data)) % 256;
  return bad == 0 ? "256 bytes or more" : "less than 256 bytes";
}
std::string properties_agree() {
  cudaDeviceProp p{};
  int sms = 0, major = 0, minor = 0, shared = 0;
  CONTRACT_CHECK(cudaGetDeviceProperties(&p, 0));
  CONTRACT_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  CONTRACT_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  CONTRACT_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
  CONTRACT_CHECK(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0));
  const bool same = sms == p.multiProcessorCount && major == p.major && minor == p.minor &&
                    static_cast<std::size_t>(shared) == p.sharedMemPerMultiprocessor;
  return same ? "agree" : "differ";
}

}  // namespace

std::vector<Contract> memory_contracts() {
  return {
      {"type of cudaMalloc", "device, inside device", type_inside<Kind::device>},
      {"type of cudaMallocHost", "host, inside host", type_inside<Kind::pinned>},
      {"type of cudaMallocManaged", "managed, inside managed", type_inside<Kind::managed>},
      {"type of malloc", "unregistered, inside unregistered", type_inside<Kind::pageable>},
      {"type of registered memory", "host, then unregistered", type_registered},
      {"type of cudaMallocAsync", "device", type_stream_ordered},
      {"registering twice", "cudaErrorHostMemoryAlreadyRegistered", register_twice},
      {"bytes copied up, across and down", "same bytes", round_trip},
      {"bytes of cudaMemset", "set", memset_bytes},
      {"bytes of cudaMemcpy2D", "same bytes", copy_2d},
      {"cudaMemcpy against its direction", "cudaErrorInvalidValue", copy_wrong_direction},
      {"cudaMemcpy of unknown kind", "cudaErrorInvalidMemcpyDirection", copy_bad_kind},
      {"cudaMemcpy of nothing", "cudaSuccess", copy_of_nothing},
      {"out of memory, and the last error",
       "cudaErrorMemoryAllocation cudaErrorMemoryAllocation cudaErrorMemoryAllocation cudaSuccess", out_of_memory},
      {"cudaMemGetInfo", "exact", memory_info},
      {"cudaMalloc of nothing", "cudaSuccess, null", malloc_nothing},
      {"cudaFree of null", "cudaSuccess", free_null},
      {"cudaFree twice", "cudaErrorInvalidValue", free_twice},
      {"unknown device", "cudaErrorInvalidDevice", unknown_device},
      {"last error after a later success", "cudaErrorInvalidDevice", success_keeps_error},
      {"alignment of device memory", "256 bytes or more", alignment},
      {"properties and attributes", "agree", properties_agree},
  };
}

}  // namespace zerostall::contract
