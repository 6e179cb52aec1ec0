// A program under test that other tools of CUPTI live in. Usage: pitfalls_subject MODE. Makes the same CUDA calls in
// every mode: 5 steps of 4 kernels, a read-back and a wait. Prints "ok" when all of them did what they should.
#include <cuda_runtime_api.h>
#include <cupti.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "profiler/mark/mark.h"

extern "C" void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*,
                                       int*);

namespace {

constexpr int kSteps = 5, kKernels = 4;
char g_stub;

void check(bool good, const char* what) {
  if (good) return;
  std::printf("failed: %s\n", what);
  std::exit(9);
}

void launch(cudaStream_t stream = nullptr) {
  check(cudaLaunchKernel(&g_stub, dim3(1), dim3(32), nullptr, 0, stream) == cudaSuccess, "cudaLaunchKernel");
}

void read_back(void* device) {
  int value = 0;
  check(cudaMemcpyAsync(&value, device, sizeof value, cudaMemcpyDeviceToHost, nullptr) == cudaSuccess,
        "cudaMemcpyAsync");
  check(cudaStreamSynchronize(nullptr) == cudaSuccess, "cudaStreamSynchronize");
}

// `between` runs before each step, with its number.
template <class Between>
void steps(Between between) {
  void* device = nullptr;
  check(cudaMalloc(&device, 1024) == cudaSuccess, "cudaMalloc");
  check(cudaMemset(device, 0, 1024) == cudaSuccess, "cudaMemset");
  for (int n = 0; n < kSteps; ++n) {
    between(n);
    zerostall_step_begin(n);
    for (int i = 0; i < kKernels; ++i) launch();
    read_back(device);
    zerostall_step_end();
  }
}
void steps() {
  steps([](int) {});
}

// --- another tool

template <class F>
F cupti(F, const char* name) {
  static void* library = dlopen("libcupti.so.13", RTLD_NOW);
  check(library != nullptr, "no libcupti.so.13");
  return reinterpret_cast<F>(dlsym(library, name));
}
#define CUPTI(name) cupti(&name, #name)

void CUPTIAPI ignore(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

CUptiResult subscribe(const char* name) {
  CUpti_SubscriberHandle handle = nullptr;
  char holder[256] = "";
  CUpti_SubscriberParams params{};
  params.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
  params.subscriberName = name;
  params.oldSubscriberName = holder;
  params.oldSubscriberSize = sizeof holder;
  const CUptiResult result = CUPTI(cuptiSubscribe_v2)(&handle, ignore, nullptr, &params);
  std::printf("holder: %s\n", holder);
  return result;
}

std::atomic<long> g_taken{0};
void CUPTIAPI on_request(std::uint8_t** buffer, std::size_t* bytes, std::size_t* records) {
  *bytes = 65536;
  *buffer = static_cast<std::uint8_t*>(std::calloc(*bytes, 1));
  *records = 0;
}
void CUPTIAPI on_complete(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  CUpti_Activity* record = nullptr;
  while (valid > 0 && CUPTI(cuptiActivityGetNextRecord)(buffer, valid, &record) == CUPTI_SUCCESS) ++g_taken;
}

// As PyTorch's profiler does in a process whose subscription it did not get, before it learnt to give up.
void takes_records() {
  steps([](int n) {
    if (n == 2) CUPTI(cuptiActivityFlushAll)(1);
    if (n == 2) CUPTI(cuptiActivityRegisterCallbacks)(on_request, on_complete);
  });
  CUPTI(cuptiActivityFlushAll)(1);
  std::printf("taken: %ld\n", g_taken.load());
}

void finalizes() {
  steps([](int n) {
    if (n == 3) check(CUPTI(cuptiFinalize)() == CUPTI_SUCCESS, "cuptiFinalize");
  });
}

void changes_the_buffers() {
  steps([](int n) {
    std::uint8_t per_thread = 0;
    std::size_t bytes = sizeof per_thread;
    if (n == 2) CUPTI(cuptiActivitySetAttribute)(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, &bytes, &per_thread);
  });
}

// --- what programs do

void graphs() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream) == cudaSuccess, "cudaStreamCreate");
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess, "cudaStreamBeginCapture");
  for (int i = 0; i < kKernels; ++i) launch(stream);
  check(cudaStreamEndCapture(stream, &graph) == cudaSuccess, "cudaStreamEndCapture");
  check(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess, "cudaGraphInstantiate");
  for (int i = 0; i < 500; ++i) check(cudaGraphLaunch(exec, stream) == cudaSuccess, "cudaGraphLaunch");
  check(cudaStreamSynchronize(stream) == cudaSuccess, "cudaStreamSynchronize");
}

// As a pool of compile workers does, in the middle of everything.
void forks() {
  launch();  // from here on no child may use the device
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) launch();
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(cudaDeviceSynchronize() == cudaSuccess ? 1 : 0);
    int status = 0;
    waitpid(child, &status, 0);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a forked child hangs or uses the device");
  }
  stop = true;
  busy.join();
  steps();
}

// Prints the most address space it ever had, in KiB: buffers nobody writes to take no other.
void many_records() {
  steps([](int) {
    for (int i = 0; i < 4000; ++i) launch();
  });
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmPeak:", 0) == 0) std::printf("peak %ld\n", std::atol(line.c_str() + 7));
}

}  // namespace

int main(int, char** argv) {
  const std::string mode = argv[1];
  if (mode == "holds-first") check(subscribe("the first") == CUPTI_SUCCESS, "cuptiSubscribe_v2");
  __cudaRegisterFunction(nullptr, &g_stub, const_cast<char*>("kernel"), "kernel", -1, nullptr, nullptr, nullptr,
                         nullptr, nullptr);
  if (mode == "steps" || mode == "holds-first") steps();
  if (mode == "comes-later") {
    steps([](int n) {
      if (n == 2) check(subscribe("the second") == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, "not refused");
    });
  }
  if (mode == "takes-records") takes_records();
  if (mode == "finalizes") finalizes();
  if (mode == "changes-buffers") changes_the_buffers();
  if (mode == "graphs") graphs();
  if (mode == "forks") forks();
  if (mode == "many-records") many_records();
  if (mode == "opens-a-copy") {
    steps();
    check(dlopen(std::getenv("COPY"), RTLD_NOW) != nullptr, "the copy cannot be opened");
  }
  std::puts("ok");
  return 0;
}
