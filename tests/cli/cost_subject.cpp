// A program under test: steps with one wait, or without it. Usage: cost_subject CASE planted|without
// Each step ends with a device sync, so that its length is that of its GPU work too.
#include <cuda_runtime_api.h>

#include <cstdlib>
#include <string>

#include "profiler/mark/mark.h"

namespace {

constexpr std::size_t kLarge = 180'000'000, kSmall = 4'096, kUpload = 1'000'000;

void call(cudaError_t result) {
  if (result != cudaSuccess) std::exit(99);
}

struct Program {
  std::string name;
  bool planted = false;
  void* device = nullptr;
  void* pinned = nullptr;
  void* pageable = nullptr;
  cudaStream_t stream = nullptr;
  cudaStream_t other = nullptr;
  cudaEvent_t event = nullptr;

  void work(int pieces, std::size_t bytes) const {
    for (int i = 0; i < pieces; ++i) call(cudaMemsetAsync(device, 0, bytes, stream));
  }
  void wait() const {
    if (planted) call(cudaStreamSynchronize(stream));
  }
  void upload(const void* from) const { call(cudaMemcpyAsync(device, from, kUpload, cudaMemcpyHostToDevice, stream)); }

  void step() const {
    if (name == "drain") {  // the queue is long before and behind it
      work(10, kLarge);
      wait();
      work(10, kLarge);
    } else if (name == "host-bound") {  // the device is idle most of the time
      work(10, kSmall);
      wait();
      work(10, kSmall);
    } else if (name == "short") {  // the wait is shorter than the gap that follows it
      work(3, kSmall);
      work(1, 20'000'000);
      wait();
      work(10, kSmall);
    } else if (name == "read-back") {
      work(10, kLarge);
      call(cudaMemcpyAsync(pinned, device, 4, cudaMemcpyDeviceToHost, stream));
      wait();
      work(10, kLarge);
    } else if (name == "upload") {
      work(10, kLarge);
      upload(pinned);
      wait();
      work(10, kLarge);
    } else if (name == "pageable") {
      work(10, kLarge);
      upload(planted ? pageable : pinned);
      wait();
      work(10, kLarge);
    } else if (name == "event") {  // waits for the middle of the queue: the device never runs dry
      work(5, kLarge);
      call(cudaEventRecord(event, stream));
      work(5, kLarge);
      if (planted) call(cudaEventSynchronize(event));
      work(10, kLarge);
    } else if (name == "idle") {  // of a stream that has nothing to do
      work(10, kSmall);
      if (planted) call(cudaStreamSynchronize(other));
      work(10, kSmall);
    } else {
      std::exit(98);
    }
    call(cudaDeviceSynchronize());
  }
};

}  // namespace

int main(int, char** argv) {
  Program program{argv[1], std::string(argv[2]) == "planted"};
  call(cudaMalloc(&program.device, kLarge));
  call(cudaMallocHost(&program.pinned, kUpload));
  program.pageable = std::calloc(1, kUpload);
  call(cudaStreamCreateWithFlags(&program.stream, cudaStreamNonBlocking));
  call(cudaStreamCreateWithFlags(&program.other, cudaStreamNonBlocking));
  call(cudaEventCreate(&program.event));
  call(cudaDeviceSynchronize());
  for (int n = 0; n < 6; ++n) {
    zerostall::mark::Step step(n);
    program.step();
  }
  return 0;
}
