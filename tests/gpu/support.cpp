#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "tests/gpu/contract.h"

namespace zerostall::contract {
namespace {

constexpr std::size_t kBusyBytes = std::size_t{2} << 30;  // half a millisecond of an H200's memory bandwidth

void* busy_buffer() {  // never freed: cudaFree would wait
  static void* buffer = [] {
    void* p = nullptr;
    CONTRACT_CHECK(cudaMalloc(&p, kBusyBytes));
    return p;
  }();
  return buffer;
}

}  // namespace

void check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  (void)cudaGetLastError();
  throw std::runtime_error(std::string(call) + " failed: " + name_of(error));
}

std::string name_of(cudaError_t error) { return cudaGetErrorName(error); }

void keep_busy(cudaStream_t stream, int times) {
  for (int i = 0; i < times; ++i) CONTRACT_CHECK(cudaMemsetAsync(busy_buffer(), i, kBusyBytes, stream));
}

bool is_busy(cudaStream_t stream) {
  const cudaError_t answer = cudaStreamQuery(stream);
  (void)cudaGetLastError();
  if (answer != cudaErrorNotReady) check(answer, "cudaStreamQuery");
  return answer == cudaErrorNotReady;
}

std::string waited(cudaStream_t stream) { return is_busy(stream) ? "returns at once" : "waits"; }

Stream::Stream(unsigned flags) { CONTRACT_CHECK(cudaStreamCreateWithFlags(&handle, flags)); }
Stream::~Stream() {
  cudaStreamSynchronize(handle);
  cudaStreamDestroy(handle);
}

Event::Event(unsigned flags) { CONTRACT_CHECK(cudaEventCreateWithFlags(&handle, flags)); }
Event::~Event() { cudaEventDestroy(handle); }

Buffer::Buffer(Kind k, std::size_t bytes) : kind(k) {
  switch (k) {
    case Kind::device:
      CONTRACT_CHECK(cudaMalloc(&data, bytes));
      break;
    case Kind::pinned:
      CONTRACT_CHECK(cudaMallocHost(&data, bytes));
      break;
    case Kind::managed:
      CONTRACT_CHECK(cudaMallocManaged(&data, bytes, cudaMemAttachGlobal));
      break;
    case Kind::pageable:
      data = std::calloc(bytes, 1);
      break;
  }
  if (k == Kind::pinned) std::memset(data, 0, bytes);
}
Buffer::~Buffer() {
  if (kind == Kind::pageable)
    std::free(data);
  else if (kind == Kind::pinned)
    cudaFreeHost(data);
  else
    cudaFree(data);
}

}  // namespace zerostall::contract
