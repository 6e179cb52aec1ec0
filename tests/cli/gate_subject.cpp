// A program under test that a gate lets pass, or that has one wait more. Usage: gate_subject STEPS [SEED|none [REGION]]
// Each step reads no result of its own; every 5th logs one, in region `log`. A second thread loads batches and waits
// for its own copies. SEED: which wait is added, and where.
#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "profiler/mark/mark.h"

namespace {

constexpr std::size_t kBatch = 64 << 10;
constexpr int kWarmup = 2, kPlaces = 4;

void call(cudaError_t result) {
  if (result != cudaSuccess) std::exit(99);
}

struct Program {
  void* device = nullptr;
  void* pinned = nullptr;
  std::vector<char> pageable = std::vector<char>(kBatch);
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  const char* region = "log";

  Program() {
    call(cudaMalloc(&device, kBatch));
    call(cudaMallocHost(&pinned, kBatch));
    call(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    call(cudaEventCreate(&event));
  }

  void kernels(int count) const {
    for (int i = 0; i < count; ++i) call(cudaMemsetAsync(device, i, kBatch, stream));
  }
  void read(void* to) const {
    call(cudaMemcpyAsync(to, device, 4, cudaMemcpyDeviceToHost, stream));
    call(cudaStreamSynchronize(stream));
  }
  void add_wait(unsigned kind) {
    switch (kind) {
      case 0:
        return read(pinned);
      case 1:
        return call(cudaMemcpyAsync(device, pageable.data(), kBatch, cudaMemcpyHostToDevice, stream));
      case 2:
        return call(cudaStreamSynchronize(stream));
      case 3:
        return call(cudaDeviceSynchronize());
      case 4:
        return call(cudaEventSynchronize(event));
      case 5:
        return call(cudaMemcpy(device, pinned, 512, cudaMemcpyHostToDevice));
      default:
        return read(pageable.data());
    }
  }

  void step(int number, int extra_at, unsigned kind) {
    for (int place = 0; place < kPlaces; ++place) {
      if (place == extra_at) add_wait(kind);
      call(cudaMemcpyAsync(device, pinned, 4096, cudaMemcpyHostToDevice, stream));
      kernels(5);
      call(cudaEventRecord(event, stream));
      call(cudaStreamWaitEvent(stream, event, 0));
    }
    if (number % 5 != 0) return;
    zerostall::mark::Region log(region);
    read(pinned);
  }
};

// Waits for its own copies at its own pace: on the machine's clock, not on that of the GPU.
void load(const std::atomic<bool>& stop) {
  void *device = nullptr, *pinned = nullptr;
  cudaStream_t stream = nullptr;
  call(cudaMalloc(&device, kBatch));
  call(cudaMallocHost(&pinned, kBatch));
  call(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  while (!stop) {
    call(cudaMemcpyAsync(device, pinned, kBatch, cudaMemcpyHostToDevice, stream));
    call(cudaStreamSynchronize(stream));
    std::this_thread::yield();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = std::atoi(argv[1]);
  const bool one_more = argc > 2 && std::string(argv[2]) != "none";
  std::mt19937 random(one_more ? static_cast<unsigned>(std::atoi(argv[2])) : 0);
  const int extra_step = one_more ? kWarmup + static_cast<int>(random() % unsigned(steps - kWarmup)) : -1;
  const int extra_at = static_cast<int>(random() % kPlaces);
  const auto kind = static_cast<unsigned>(random() % 7);
  Program program;
  if (argc > 3) program.region = argv[3];
  std::atomic<bool> stop = false;
  std::thread loader([&] { load(stop); });
  for (int n = 0; n < steps; ++n) {
    zerostall::mark::Step step(n);
    program.step(n, n == extra_step ? extra_at : -1, kind);
  }
  stop = true;
  loader.join();
  return 0;
}
