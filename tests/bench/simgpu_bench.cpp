// What a call of the simulated GPU costs the machine, without a tracer, against its limits: a PyTorch step makes ten
// cheap calls per launch.
#include <benchmark/benchmark.h>
#include <cuda_runtime_api.h>

#include <fstream>
#include <stdexcept>

#include "figure.h"

extern "C" void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*,
                                       int*);

namespace {

void check(cudaError_t error) {
  if (error) throw std::runtime_error(cudaGetErrorString(error));
}

const char* kernel() {
  static char stub, name[] = "_Z12bench_kernelPfi";  // bench_kernel(float*, int): its output is looked up
  static const bool registered = [] {
    __cudaRegisterFunction(nullptr, &stub, name, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    return true;
  }();
  (void)registered;
  return &stub;
}

void launch(benchmark::State& state) {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  void* output = nullptr;
  check(cudaMalloc(&output, 4096));
  int count = 1;
  void* arguments[] = {&output, &count};
  for (auto _ : state) benchmark::DoNotOptimize(cudaLaunchKernel(kernel(), 64, 256, arguments, 0, stream));
  check(cudaFree(output));
  check(cudaStreamDestroy(stream));
}

void get_device(benchmark::State& state) {
  int device = 0;
  for (auto _ : state) benchmark::DoNotOptimize(cudaGetDevice(&device));
}

void get_last_error(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(cudaGetLastError());
}

double resident_pages() {
  double total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident;
}

void step(cudaStream_t stream) {
  for (int i = 0; i < 300; ++i) check(cudaLaunchKernel(kernel(), 64, 256, nullptr, 0, stream));
  for (int i = 0; i < 50; ++i) {
    cudaEvent_t event = nullptr;
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    check(cudaEventRecord(event, stream));
    check(cudaStreamWaitEvent(nullptr, event, 0));
    check(cudaEventDestroy(event));
  }
  cudaStream_t other = nullptr;
  check(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  check(cudaLaunchKernel(kernel(), 64, 256, nullptr, 0, other));
  check(cudaStreamDestroy(other));
  check(cudaStreamSynchronize(stream));
}

void memory(benchmark::State& state) {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  double growth = 0;
  for (auto _ : state) {
    for (int i = 0; i < 20; ++i) step(stream);
    const double before = resident_pages();
    for (int i = 0; i < state.range(0); ++i) step(stream);
    growth = resident_pages() - before;
  }
  check(cudaStreamDestroy(stream));
  state.counters["pages_grown"] = growth;
}

BENCHMARK(launch)->Repetitions(5);
BENCHMARK(get_device)->Repetitions(5);
BENCHMARK(get_last_error)->Repetitions(5);
BENCHMARK(memory)->Arg(200)->Arg(2000)->Iterations(1);

}  // namespace

int main(int argc, char** argv) {
  const double kPage = 4096.0 / (1 << 20);
  return zerostall::run_benchmarks(
      argc, argv,
      {{"launch/repeats:5", {"simgpu.launch", "a simulated launch, without tracer", "ns"}},
       {"get_device/repeats:5", {"simgpu.get_device", "cudaGetDevice, without tracer", "ns"}},
       {"get_last_error/repeats:5", {"simgpu.get_last_error", "cudaGetLastError, without tracer", "ns"}},
       {"memory/2000/iterations:1",
        {"simgpu.growth", "2000 steps of 300 launches: the process grows by", "MiB"},
        kPage,
        "pages_grown"}});
}
