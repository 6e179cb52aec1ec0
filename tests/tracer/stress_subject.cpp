// A program under test in which many threads use CUDA at once while something else happens. Usage: stress_subject MODE.
// Each wait that is complete is counted in the progress file (progress.h).
#include <cuda_runtime_api.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "profiler/mark/mark.h"
#include "tests/tracer/progress.h"

extern "C" void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*,
                                       int*);

namespace {

constexpr int kThreads = 16;
std::atomic<bool> g_stop{false};

const char* kernel() {
  static char stub, name[] = "stress_kernel";
  static const bool registered = [] {
    __cudaRegisterFunction(nullptr, &stub, name, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    return true;
  }();
  (void)registered;
  return &stub;
}

// A step as a training thread makes it: marked, two launches, an event, a copy, a wait.
void step(int number, cudaStream_t stream, cudaEvent_t event, void* device) {
  char host[64] = {};
  zerostall::mark::Step mark(number);
  for (int i = 0; i < 2; ++i) cudaLaunchKernel(kernel(), 8, 32, nullptr, 0, stream);
  cudaEventRecord(event, stream);
  cudaMemcpyAsync(device, host, sizeof host, cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
  if (auto* progress = zerostall::testing::own_progress()) progress->waits.fetch_add(1, std::memory_order_relaxed);
}

void steps(int count) {
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  void* device = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaEventCreate(&event);
  cudaMalloc(&device, 4096);
  for (int i = 0; i < count && !g_stop; ++i) step(i, stream, event, device);
  cudaFree(device);
  cudaEventDestroy(event);
  cudaStreamDestroy(stream);
}

std::vector<std::thread> start(int steps_each) {
  std::vector<std::thread> all;
  for (int t = 0; t < kThreads; ++t) all.emplace_back(steps, steps_each);
  return all;
}

void join(std::vector<std::thread>& all) {
  for (auto& thread : all) thread.join();
}

// Threads by the hundred, sixteen at a time.
void churn() {
  for (int round = 0; round < 15; ++round) {
    auto all = start(5);
    join(all);
  }
}

// Children of a process whose threads are in the middle of calls. They try CUDA, and leave in either way.
void forks() {
  auto all = start(1'000'000);
  for (int i = 0; i < 10; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (const pid_t child = fork(); child == 0) {
      cudaStreamSynchronize(nullptr);
      zerostall::mark::Step mark(7);
      if (i % 2) _exit(0);
      std::exit(0);
    } else {
      waitpid(child, nullptr, 0);
    }
  }
  g_stop = true;
  join(all);
}

[[noreturn]] void wait_for_ever() {
  for (;;) pause();
}

}  // namespace

int main(int, char** argv) {
  const std::string mode = argv[1];
  if (mode == "together") {
    auto all = start(300);
    join(all);
  }
  if (mode == "churn") churn();
  if (mode == "forks") forks();
  if (mode == "exit" || mode == "exit-of-thread" || mode == "kill") {
    auto* const all = new std::vector<std::thread>(start(1'000'000));  // never joined
    (void)all;
    const auto* progress = zerostall::testing::own_progress();
    while (progress && progress->waits < 200) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (mode == "kill") raise(SIGKILL);
    if (mode == "exit-of-thread") {
      std::thread([] { std::exit(0); }).detach();
      wait_for_ever();
    }
  }
  return 0;
}
