// A program under test: makes known CUDA calls. Usage: tracer_subject MODE
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "profiler/mark/mark.h"

namespace {

void call(cudaError_t result) {
  if (result != cudaSuccess) std::exit(99);
}

void some_work(int rounds) {
  void* device = nullptr;
  char host[512] = {};
  call(cudaMalloc(&device, sizeof host));
  for (int i = 0; i < rounds; ++i) {
    call(cudaMemcpyAsync(device, host, sizeof host, cudaMemcpyHostToDevice, nullptr));
    call(cudaStreamSynchronize(nullptr));
  }
  call(cudaFree(device));
}

void steps() {
  for (int n = 0; n < 5; ++n) {
    zerostall::mark::Step step(n);
    zerostall::mark::Region train("train");
    some_work(2);
  }
}

// The steps above without their waits; from step 3 on with calls that the simulated GPU does not support.
void fixed(bool unsupported) {
  for (int n = 0; n < 5; ++n) {
    zerostall::mark::Step step(n);
    zerostall::mark::Region train("train");
    some_work(0);
    for (int i = 0; unsupported && n >= 3 && i < n; ++i) cudaDestroyExternalSemaphore(nullptr);
  }
}

// Calls of a static object's destructor: after the main thread's own thread-locals are gone.
struct Late {
  ~Late() { some_work(700); }
};
void late_calls() {
  some_work(1);
  static const Late late;
}

void threads() {
  std::vector<std::thread> all;
  for (int t = 0; t < 4; ++t) all.emplace_back([] { some_work(1000); });
  for (auto& t : all) t.join();
}

// The child of a fork must neither write to the parent's trace nor count.
void forked() {
  some_work(3);
  if (const pid_t child = fork(); child == 0) {
    some_work(100);
    std::exit(0);
  } else {
    waitpid(child, nullptr, 0);
  }
  some_work(3);
}

void killed() {
  some_work(1000);
  raise(SIGKILL);
}

// Reads back what no copy wrote, inside of a range; ends with that number.
int read_in_a_range() {
  int* device = nullptr;
  int value = 0;
  call(cudaMalloc(reinterpret_cast<void**>(&device), sizeof value));
  nvtxRangePushA("answer");
  call(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
  nvtxRangePop();
  return value;
}

// Few calls in a long time, no marks.
void slow_and_killed() {
  for (int i = 0; i < 5; ++i) {
    some_work(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(120));
  }
  raise(SIGKILL);
}

// As DataLoader workers and crashing programs leave: no exit handler runs.
void leaves_early() {
  for (int n = 0; n < 3; ++n) {
    zerostall::mark::Step step(n);
    some_work(2);
  }
  some_work(1);
  _exit(3);
}

// A loop that only makes marks, as torch.cuda.nvtx.mark does.
void marks_steps_and_dies() {
  for (int n = 0; n < 4; ++n) {
    nvtxMarkA(("step " + std::to_string(n)).c_str());
    some_work(2);
  }
  raise(SIGKILL);
}

void marks_of_nvtx() {
  nvtxMarkA("instant");
  nvtxRangePushA("outer");
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("mine");
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  event.message.registered = nvtxDomainRegisterStringA(domain, "registered");
  const nvtxRangeId_t range = nvtxDomainRangeStartEx(domain, &event);
  some_work(1);
  nvtxDomainRangeEnd(domain, range);
  nvtxRangePop();
}

// As PyTorch's profiler does. The result of the call.
int profiles_itself() {
  some_work(1);
  using Subscribe = int (*)(void**, void (*)(), void*);
  const auto subscribe = reinterpret_cast<Subscribe>(dlsym(RTLD_DEFAULT, "cuptiSubscribe"));
  void* handle = nullptr;
  return subscribe ? subscribe(
                         &handle, [] {}, nullptr)
                   : 99;
}

}  // namespace

int main(int, char** argv) {
  const std::string mode = argv[1];
  if (mode == "steps") steps();
  if (mode == "threads") threads();
  if (mode == "forked") forked();
  if (mode == "killed") killed();
  if (mode == "slow-killed") slow_and_killed();
  if (mode == "leaves-early") leaves_early();
  if (mode == "nvtx") marks_of_nvtx();
  if (mode == "reads") return read_in_a_range();
  if (mode == "unsupported") {
    some_work(1);
    cudaDestroyExternalSemaphore(nullptr);
  }
  if (mode == "late-calls") late_calls();
  if (mode == "fixed") fixed(false);
  if (mode == "fixed-unsupported") fixed(true);
  if (mode == "marks") marks_steps_and_dies();
  if (mode == "profiles-itself") return profiles_itself();
  if (mode == "second-device") {
    some_work(1);
    return cudaSetDevice(1) == cudaErrorInvalidDevice ? 5 : 0;
  }
  if (mode == "nothing") std::puts("no CUDA here");
  return 0;
}
