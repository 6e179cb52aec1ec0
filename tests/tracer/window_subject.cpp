// A program of which only a part is recorded. Each mode makes its calls of cudaStreamSynchronize inside and outside the
// part that window_test.cpp asks for. Usage: window_subject MODE
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include "profiler/mark/mark.h"

namespace {

void syncs(int number) {
  for (int i = 0; i < number; ++i)
    if (cudaStreamSynchronize(nullptr) != cudaSuccess) std::exit(99);
}

// Step n makes n + 1 calls.
void ranges(int steps) {
  for (int n = 0; n < steps; ++n) {
    zerostall::mark::Step step(n);
    zerostall::mark::Region inner("train");
    syncs(n + 1);
  }
}

// Ranges inside a step that look like steps themselves.
void nested(int steps) {
  for (int n = 0; n < steps; ++n) {
    zerostall::mark::Step step(n);
    for (int batch = 0; batch <= n; ++batch) {
      nvtxRangePushA(("batch " + std::to_string(batch)).c_str());
      syncs(1);
      nvtxRangePop();
    }
  }
}

// One step ends in an exception, say, so that nobody pops its range.
void unpopped(int steps) {
  for (int n = 0; n < steps; ++n) {
    nvtxRangePushA(("step " + std::to_string(n)).c_str());
    syncs(n + 1);
    if (n != 1) nvtxRangePop();
  }
}

void instants(int steps) {
  for (int n = 0; n < steps; ++n) {
    nvtxMarkA(("step " + std::to_string(n)).c_str());
    syncs(n + 1);
  }
}

// Two windows.
void between_profiler_calls() {
  syncs(3);
  for (int window = 0; window < 2; ++window) {
    cudaProfilerStart();
    syncs(5);
    cudaProfilerStop();
    syncs(2);
  }
}

void wait_for_the_tracer() { std::this_thread::sleep_for(std::chrono::milliseconds(400)); }

void between_signals() {
  syncs(3);
  std::raise(SIGUSR2);
  wait_for_the_tracer();
  syncs(5);
  std::raise(SIGUSR2);
  wait_for_the_tracer();
  syncs(2);
}

void in_the_second_second() {
  syncs(3);
  std::this_thread::sleep_for(std::chrono::milliseconds(1400));
  syncs(5);
  std::this_thread::sleep_for(std::chrono::milliseconds(1000));
  syncs(2);
}

}  // namespace

int main(int, char** argv) {
  const std::string mode = argv[1];
  if (mode == "ranges") ranges(8);
  if (mode == "instants") instants(8);
  if (mode == "nested") nested(8);
  if (mode == "unpopped") unpopped(8);
  if (mode == "profiler") between_profiler_calls();
  if (mode == "signals") between_signals();
  if (mode == "seconds") in_the_second_second();
  if (mode == "unmarked") syncs(4);
  if (mode == "many") syncs(30'000);
}
