// A program under test that makes every call of interest that the simulated GPU models, in every variant, and says of
// each what the host should be found to have done: lines "NAME EFFECT". Usage: api_subject MODE
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "profiler/trace/api_table.h"

extern "C" {
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*);
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int);
cudaError_t cudaThreadSynchronize();
#define VARIANT(name, suffix) decltype(name) name##suffix;
VARIANT(cudaStreamSynchronize, _ptsz)
VARIANT(cudaStreamQuery, _ptsz)
VARIANT(cudaStreamWaitEvent, _ptsz)
VARIANT(cudaEventRecord, _ptsz)
VARIANT(cudaEventRecordWithFlags, _ptsz)
VARIANT(cudaMemcpy, _ptds)
VARIANT(cudaMemcpyAsync, _ptsz)
VARIANT(cudaMemcpy2D, _ptds)
VARIANT(cudaMemcpy2DAsync, _ptsz)
VARIANT(cudaMemcpy3D, _ptds)
VARIANT(cudaMemcpy3DAsync, _ptsz)
VARIANT(cudaMemcpyToSymbol, _ptds)
VARIANT(cudaMemcpyFromSymbol, _ptds)
VARIANT(cudaMemcpyToSymbolAsync, _ptsz)
VARIANT(cudaMemcpyFromSymbolAsync, _ptsz)
VARIANT(cudaMemset, _ptds)
VARIANT(cudaMemsetAsync, _ptsz)
VARIANT(cudaMemset2D, _ptds)
VARIANT(cudaLaunchKernel, _ptsz)
VARIANT(cudaGraphLaunch, _ptsz)
VARIANT(cuStreamSynchronize, _ptsz)
VARIANT(cuStreamQuery, _ptsz)
VARIANT(cuEventRecord, _ptsz)
VARIANT(cuStreamWaitEvent, _ptsz)
VARIANT(cuMemcpyHtoD_v2, _ptds)
VARIANT(cuMemcpyDtoH_v2, _ptds)
VARIANT(cuMemcpyHtoDAsync_v2, _ptsz)
VARIANT(cuMemcpyDtoHAsync_v2, _ptsz)
VARIANT(cuMemsetD8_v2, _ptds)
VARIANT(cuLaunchKernel, _ptsz)
}

namespace {

constexpr std::size_t kBytes = 4096;

// Makes a call and says what is expected of it.
template <class Function, class... Args>
auto make(const char* name, const char* effect, Function function, Args... args) {
  std::printf("%s %s\n", name, effect);
  return function(args...);
}
#define CALL(effect, function, ...) make(#function, effect, function __VA_OPT__(, ) __VA_ARGS__)

char g_stub, g_variable;

void register_code() {
  static char kernel[] = "subject_kernel", variable[] = "subject_variable";
  __cudaRegisterFunction(nullptr, &g_stub, kernel, kernel, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterVar(nullptr, &g_variable, variable, variable, 0, kBytes, 0, 0);
}

void launch(cudaStream_t stream = nullptr, unsigned blocks = 1) {
  CALL("none", cudaLaunchKernel, &g_stub, dim3(blocks), dim3(1024), nullptr, 0, stream);
}

// What the calls work on.
struct World {
  char* device = nullptr;
  char* other = nullptr;
  char* pinned = nullptr;
  char* managed = nullptr;
  std::array<char, kBytes> pageable{};
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  CUdeviceptr at() const { return reinterpret_cast<CUdeviceptr>(device); }
  CUdeviceptr at_other() const { return reinterpret_cast<CUdeviceptr>(other); }
};

World make_world() {
  World w;
  CALL("implicit", cudaMalloc, reinterpret_cast<void**>(&w.device), kBytes);
  CALL("implicit", cudaMalloc, reinterpret_cast<void**>(&w.other), kBytes);
  CALL("implicit", cudaHostAlloc, reinterpret_cast<void**>(&w.pinned), kBytes, 0u);
  CALL("implicit", cudaMallocManaged, reinterpret_cast<void**>(&w.managed), kBytes, 1u);
  cudaStreamCreateWithFlags(&w.stream, cudaStreamNonBlocking);
  cudaEventCreate(&w.event);
  launch(w.stream);
  return w;
}

void syncs(World& w) {
  CALL("stream_sync", cudaStreamSynchronize, w.stream);
  CALL("stream_sync", cudaStreamSynchronize_ptsz, nullptr);
  CALL("stream_sync", cuStreamSynchronize, w.stream);
  CALL("stream_sync", cuStreamSynchronize_ptsz, nullptr);
  CALL("device_sync", cudaDeviceSynchronize);
  CALL("device_sync", cudaThreadSynchronize);
  CALL("device_sync", cuCtxSynchronize);
  CALL("none", cudaEventRecord, w.event, w.stream);
  CALL("event_sync", cudaEventSynchronize, w.event);
  CALL("none", cuEventRecord, w.event, w.stream);
  CALL("event_sync", cuEventSynchronize, w.event);
}

// The device waits, or nobody does.
void no_waits(World& w) {
  CALL("none", cudaEventRecord_ptsz, w.event, nullptr);
  CALL("none", cudaEventRecordWithFlags, w.event, w.stream, 0u);
  CALL("none", cudaEventRecordWithFlags_ptsz, w.event, nullptr, 0u);
  CALL("none", cuEventRecord_ptsz, w.event, nullptr);
  CALL("none", cuEventRecordWithFlags, w.event, w.stream, 0u);
  CALL("none", cudaStreamWaitEvent, w.stream, w.event, 0u);
  CALL("none", cudaStreamWaitEvent_ptsz, w.stream, w.event, 0u);
  CALL("none", cuStreamWaitEvent, w.stream, w.event, 0u);
  CALL("none", cuStreamWaitEvent_ptsz, w.stream, w.event, 0u);
  CALL("device_sync", cudaDeviceSynchronize);
  CALL("none", cudaEventQuery, w.event);
  CALL("none", cudaStreamQuery, w.stream);
  CALL("none", cudaStreamQuery_ptsz, nullptr);
  CALL("none", cuEventQuery, w.event);
  CALL("none", cuStreamQuery, w.stream);
  CALL("none", cuStreamQuery_ptsz, nullptr);
  void* memory = nullptr;
  cudaMallocAsync(&memory, kBytes, w.stream);
  cudaFreeAsync(memory, w.stream);
}

void flat_copies(World& w) {
  char *d = w.device, *h = w.pageable.data(), *p = w.pinned;
  CALL("blocking_copy", cudaMemcpy, d, h, kBytes, cudaMemcpyHostToDevice);
  CALL("blocking_copy", cudaMemcpy, h, d, kBytes, cudaMemcpyDeviceToHost);
  CALL("blocking_copy", cudaMemcpy, p, d, kBytes, cudaMemcpyDeviceToHost);
  CALL("blocking_copy", cudaMemcpy, p, d, kBytes, cudaMemcpyDefault);
  CALL("none", cudaMemcpy, w.other, d, kBytes, cudaMemcpyDeviceToDevice);
  CALL("blocking_copy", cudaMemcpy_ptds, d, h, kBytes, cudaMemcpyHostToDevice);
  CALL("blocking_copy", cudaMemcpyAsync, d, h, kBytes, cudaMemcpyHostToDevice, w.stream);
  CALL("blocking_copy", cudaMemcpyAsync_ptsz, h, d, kBytes, cudaMemcpyDeviceToHost, nullptr);
  CALL("none", cudaMemcpyAsync, d, p, kBytes, cudaMemcpyHostToDevice, w.stream);
  CALL("none", cudaMemcpyAsync_ptsz, p, d, kBytes, cudaMemcpyDeviceToHost, nullptr);
  launch(w.stream);
  CALL("blocking_copy", cudaMemcpyToSymbol, &g_variable, h, 8, 0, cudaMemcpyHostToDevice);
  CALL("blocking_copy", cudaMemcpyFromSymbol, h, &g_variable, 8, 0, cudaMemcpyDeviceToHost);
  CALL("blocking_copy", cudaMemcpyToSymbol_ptds, &g_variable, h, 8, 0, cudaMemcpyHostToDevice);
  CALL("blocking_copy", cudaMemcpyFromSymbol_ptds, h, &g_variable, 8, 0, cudaMemcpyDeviceToHost);
  CALL("blocking_copy", cudaMemcpyToSymbolAsync, &g_variable, h, 8, 0, cudaMemcpyHostToDevice, w.stream);
  CALL("none", cudaMemcpyFromSymbolAsync, p, &g_variable, 8, 0, cudaMemcpyDeviceToHost, w.stream);
  CALL("none", cudaMemcpyToSymbolAsync_ptsz, &g_variable, p, 8, 0, cudaMemcpyHostToDevice, nullptr);
  CALL("blocking_copy", cudaMemcpyFromSymbolAsync_ptsz, h, &g_variable, 8, 0, cudaMemcpyDeviceToHost, nullptr);
  CALL("none", cudaMemcpyPeer, w.other, 0, d, 0, kBytes);
  CALL("none", cudaMemcpyPeerAsync, w.other, 0, d, 0, kBytes, w.stream);
}

void shaped_copies(World& w) {
  char *d = w.device, *h = w.pageable.data(), *p = w.pinned;
  CALL("blocking_copy", cudaMemcpy2D, d, 64, h, 64, 32, 4, cudaMemcpyHostToDevice);
  CALL("blocking_copy", cudaMemcpy2D_ptds, h, 64, d, 64, 32, 4, cudaMemcpyDeviceToHost);
  CALL("blocking_copy", cudaMemcpy2DAsync, d, 64, h, 64, 32, 4, cudaMemcpyHostToDevice, w.stream);
  CALL("none", cudaMemcpy2DAsync_ptsz, p, 64, d, 64, 32, 4, cudaMemcpyDeviceToHost, nullptr);
  launch(w.stream);
  cudaMemcpy3DParms block{};
  block.srcPtr = {h, 64, 64, 8};
  block.dstPtr = {d, 64, 64, 8};
  block.extent = {32, 4, 2};
  block.kind = cudaMemcpyHostToDevice;
  CALL("blocking_copy", cudaMemcpy3D, &block);
  CALL("blocking_copy", cudaMemcpy3D_ptds, &block);
  CALL("blocking_copy", cudaMemcpy3DAsync, &block, w.stream);
  block.srcPtr.ptr = p;
  CALL("none", cudaMemcpy3DAsync_ptsz, &block, nullptr);
  launch(w.stream);
}

void batches(World& w) {
  void* targets[] = {w.device, w.device + 64};
  const void* from_pinned[] = {w.pinned, w.pinned + 64};
  const void* from_pageable[] = {w.pageable.data(), w.pageable.data() + 64};
  const std::size_t sizes[] = {16, 48};
  cudaMemcpyAttributes attributes{};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  std::size_t first = 0;
  CALL("none", cudaMemcpyBatchAsync, targets, from_pinned, sizes, 2, &attributes, &first, 1, w.stream);
  launch(w.stream);
  CALL("blocking_copy", cudaMemcpyBatchAsync, targets, from_pageable, sizes, 2, &attributes, &first, 1, w.stream);
  launch(w.stream);
}

void driver_copies(World& w) {
  char *h = w.pageable.data(), *p = w.pinned;
  CALL("blocking_copy", cuMemcpyHtoD_v2, w.at(), h, kBytes);
  CALL("blocking_copy", cuMemcpyDtoH_v2, h, w.at(), kBytes);
  CALL("blocking_copy", cuMemcpyHtoD_v2_ptds, w.at(), h, kBytes);
  CALL("blocking_copy", cuMemcpyDtoH_v2_ptds, h, w.at(), kBytes);
  CALL("none", cuMemcpyDtoD_v2, w.at_other(), w.at(), kBytes);
  CALL("none", cuMemcpyDtoDAsync_v2, w.at_other(), w.at(), kBytes, w.stream);
  CALL("blocking_copy", cuMemcpyHtoDAsync_v2, w.at(), h, kBytes, w.stream);
  CALL("none", cuMemcpyHtoDAsync_v2_ptsz, w.at(), p, kBytes, nullptr);
  CALL("none", cuMemcpyDtoHAsync_v2, p, w.at(), kBytes, w.stream);
  CALL("blocking_copy", cuMemcpyDtoHAsync_v2_ptsz, h, w.at(), kBytes, nullptr);
  CALL("blocking_copy", cuMemcpy, w.at(), reinterpret_cast<CUdeviceptr>(p), kBytes);
  CALL("none", cuMemcpyAsync, w.at(), reinterpret_cast<CUdeviceptr>(p), kBytes, w.stream);
  launch(w.stream);
  CUDA_MEMCPY2D plane{};
  plane.srcMemoryType = CU_MEMORYTYPE_HOST;
  plane.srcHost = h;
  plane.srcPitch = plane.dstPitch = 64;
  plane.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  plane.dstDevice = w.at();
  plane.WidthInBytes = 32;
  plane.Height = 4;
  CALL("blocking_copy", cuMemcpy2D_v2, &plane);
  CALL("blocking_copy", cuMemcpy2DUnaligned_v2, &plane);
  CALL("blocking_copy", cuMemcpy2DAsync_v2, &plane, w.stream);
}

void memsets(World& w) {
  constexpr unsigned char kZero = 0;
  const auto managed = reinterpret_cast<CUdeviceptr>(w.managed);
  CALL("none", cudaMemset, w.device, 0, kBytes);
  CALL("none", cudaMemset_ptds, w.device, 0, kBytes);
  CALL("none", cudaMemset2D, w.device, 64, 0, 32, 4);
  CALL("none", cudaMemset2D_ptds, w.device, 64, 0, 32, 4);
  CALL("none", cudaMemsetAsync, w.managed, 0, kBytes, w.stream);
  CALL("none", cudaMemsetAsync_ptsz, w.device, 0, kBytes, nullptr);
  CALL("none", cuMemsetD8_v2, w.at(), kZero, 64);
  CALL("none", cuMemsetD8_v2_ptds, w.at(), kZero, 64);
  CALL("none", cuMemsetD16_v2, w.at(), kZero, 64);
  CALL("none", cuMemsetD32_v2, w.at(), 0u, 64);
  CALL("none", cuMemsetD32Async, w.at(), 0u, 64, w.stream);
  CALL("blocking_memset", cudaMemset, w.managed, 0, kBytes);
  CALL("blocking_memset", cuMemsetD8_v2, managed, kZero, 64);
}

void launches(World& w) {
  CALL("none", cudaLaunchKernel_ptsz, &g_stub, dim3(1), dim3(32), nullptr, 0, nullptr);
  CALL("none", cudaLaunchCooperativeKernel, &g_stub, dim3(1), dim3(32), nullptr, 0, w.stream);
  cudaLaunchConfig_t config{};
  config.gridDim = config.blockDim = dim3(1);
  config.stream = w.stream;
  CALL("none", cudaLaunchKernelExC, &config, &g_stub, nullptr);
  cudaFunction_t function = nullptr;
  cudaGetFuncBySymbol(&function, &g_stub);
  const auto f = reinterpret_cast<CUfunction>(function);
  CALL("none", cuLaunchKernel, f, 1u, 1u, 1u, 32u, 1u, 1u, 0u, w.stream, nullptr, nullptr);
  CALL("none", cuLaunchKernel_ptsz, f, 1u, 1u, 1u, 32u, 1u, 1u, 0u, nullptr, nullptr, nullptr);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  CALL("none", cudaStreamBeginCapture, w.stream, cudaStreamCaptureModeRelaxed);
  launch(w.stream);
  launch(w.stream);
  CALL("none", cudaStreamEndCapture, w.stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  CALL("none", cudaGraphLaunch, exec, w.stream);
  CALL("none", cudaGraphLaunch_ptsz, exec, w.stream);
  CALL("none", cuGraphLaunch, exec, w.stream);
}

void allocations() {
  void* p = nullptr;
  std::size_t pitch = 0;
  CALL("implicit", cudaMallocPitch, &p, &pitch, 64, 4);
  CALL("implicit", cudaFree, p);
  CALL("implicit", cudaMallocHost, &p, kBytes);
  CALL("implicit", cudaFreeHost, p);
  static std::array<char, 65536> memory;
  CALL("implicit", cudaHostRegister, memory.data(), memory.size(), 0u);
  CALL("implicit", cudaHostUnregister, memory.data());
  CUdeviceptr d = 0;
  CALL("implicit", cuMemAlloc_v2, &d, kBytes);
  CALL("implicit", cuMemFree_v2, d);
  CALL("implicit", cuMemHostAlloc, &p, kBytes, 0u);
  CALL("implicit", cuMemFreeHost, p);
}

// "failed" stands for a wait that the trace must show as failed.
void failures(World& w) {
  const auto nowhere = reinterpret_cast<cudaStream_t>(std::uintptr_t{0x1230});
  cudaMemcpyKind kind{};
  const int number = 99;
  std::memcpy(&kind, &number, sizeof kind);
  CALL("stream_sync failed", cudaStreamSynchronize, nowhere);
  CALL("stream_sync failed", cuStreamSynchronize, nowhere);
  CALL("unknown_copy failed", cudaMemcpy, w.device, w.pinned, kBytes, kind);
  CALL("blocking_copy failed", cudaMemcpy, w.device, nullptr, kBytes, cudaMemcpyHostToDevice);
  CALL("implicit failed", cudaMalloc, reinterpret_cast<void**>(&w.other), std::size_t{1} << 60);
  CALL("none", cudaLaunchKernel, &g_stub, dim3(0), dim3(0), nullptr, 0, w.stream);
}

void all() {
  register_code();
  World w = make_world();
  syncs(w);
  no_waits(w);
  flat_copies(w);
  shaped_copies(w);
  batches(w);
  driver_copies(w);
  memsets(w);
  launches(w);
  allocations();
  failures(w);
  CALL("device_sync", cudaDeviceSynchronize);
}

// Every call of interest that exists under some name, with nothing but zeros: nearly all fail.
void with_nothing() {
  using Function = int (*)(long, long, long, long, long, long, long, long, long, long, long, long, long, long);
  for (const zerostall::ApiInfo& info : zerostall::api_table())
    for (const char* suffix : {"", "_v2", "_ptsz", "_ptds", "_v2_ptsz", "_v2_ptds"}) {
      const std::string name = std::string(info.name) + suffix;
      const auto function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name.c_str()));
      if (!function) continue;
      std::printf("%s called\n", name.c_str());
      std::fflush(stdout);
      function(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
}

// A loop that asks three times, and one that asks twice.
void polls() {
  register_code();
  World w = make_world();
  for (const int times : {3, 2}) {
    launch(w.stream, 1 << 20);
    for (int i = 0; i < times; ++i) CALL(i == 2 ? "spin" : "none", cudaStreamQuery, w.stream);
    CALL("device_sync", cudaDeviceSynchronize);
  }
}

void fills_the_queue() {
  register_code();
  World w = make_world();
  for (int i = 0; i < 1030; ++i) launch(w.stream, 1 << 24);
  CALL("device_sync", cudaDeviceSynchronize);
}

void launches_graphs() {
  register_code();
  World w = make_world();
  launches(w);
  CALL("device_sync", cudaDeviceSynchronize);
}

}  // namespace

int main(int, char** argv) {
  const std::string mode = argv[1];
  if (mode == "all") all();
  if (mode == "with-nothing") with_nothing();
  if (mode == "polls") polls();
  if (mode == "fills-the-queue") fills_the_queue();
  if (mode == "graphs") launches_graphs();
  return 0;
}
