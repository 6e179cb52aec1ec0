// Kernels: what nvcc's host code registers before main, and launching it.
#include "profiler/simgpu/core/launch.h"

#include <cstring>

#include "profiler/simgpu/core/fat_binary.h"
#include "profiler/simgpu/core/hooks.h"
#include "profiler/simgpu/core/imports.h"
#include "profiler/simgpu/core/kernel_output.h"
#include "profiler/simgpu/core/symbols.h"
#include "profiler/simgpu/runtime/support.h"
#include "runtime_behaviours.h"

using namespace zerostall::simgpu;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

struct Configuration {
  dim3 grid, block;
  std::size_t shared_bytes;
  void* stream;
};
thread_local Configuration t_configuration;

cudaError_t run(const void* handle, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                const void* stream) {
  if (const cudaError_t error = check_launch(handle, grid, block, shared_bytes)) return error;
  Function* function = function_of(handle);  // check_launch found it
  return launch({function->name, grid, block, shared_bytes, stream, -1, handle}, output_of(*function, arguments));
}

}  // namespace

// Not API calls: the contract between nvcc's generated code and the runtime (crt/host_runtime.h).
EXPORT void** __cudaRegisterFatBinary(void* wrapper) {
  check_imports();               // a library with kernels was loaded
  auto* binary = new FatBinary;  // for good: functions refer to it
  binary->wrapper = wrapper;
  return reinterpret_cast<void**>(binary);
}
EXPORT void __cudaRegisterFatBinaryEnd(void**) {}
EXPORT void __cudaUnregisterFatBinary(void**) {}
EXPORT char __cudaInitModule(void**) { return 1; }
EXPORT void __cudaRegisterFunction(void** binary, const char* host_function, char*, const char* device_name, int,
                                   uint3*, uint3*, dim3*, dim3*, int*) {
  register_kernel(host_function, device_name, reinterpret_cast<FatBinary*>(binary));
}
EXPORT void __cudaRegisterVar(void**, char* host_variable, char*, const char* device_name, int, std::size_t bytes, int,
                              int) {
  register_symbol(host_variable, device_name, bytes);
}
// The program reaches a managed variable through a pointer of its own, which is filled in before main.
EXPORT void __cudaRegisterManagedVar(void**, void** host_pointer, char*, const char*, int, std::size_t bytes, int,
                                     int) {
  *host_pointer = simulator().memory.allocate_host(bytes, MemoryKind::managed);
}
EXPORT void __cudaRegisterHostVar(void**, const char*, char*, std::size_t) {}

EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes, CUstream_st* stream) {
  t_configuration = {grid, block, shared_bytes, stream};
  return 0;
}
EXPORT cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes, void* stream) {
  *grid = t_configuration.grid;
  *block = t_configuration.block;
  *shared_bytes = t_configuration.shared_bytes;
  std::memcpy(stream, &t_configuration.stream, sizeof(void*));
  return cudaSuccess;
}
EXPORT cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host_function) {
  *kernel = reinterpret_cast<cudaKernel_t>(function_of(host_function));
  return *kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

// What `<<<>>>` compiles to since CUDA 13. The headers describe no parameter struct for it.
EXPORT cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                      std::size_t shared_bytes, cudaStream_t stream) {
  static constinit Counter counter{"__cudaLaunchKernel"};
  ApiCall call(2, 505, "__cudaLaunchKernel_v13000", nullptr, kernel_name(kernel), &counter);
  const auto fault = static_cast<cudaError_t>(call.fault());
  return call.finish(remember(fault ? fault : run(kernel, grid, block, arguments, shared_bytes, stream)));
}

extern "C" {

cudaError_t sim_cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                                 cudaStream_t stream) {
  return run(function, grid, block, arguments, shared_bytes, stream);
}
cudaError_t sim_cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  if (!config) return cudaErrorInvalidValue;
  if (config->numAttrs && !config->attrs) return cudaErrorInvalidValue;
  return run(function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes, config->stream);
}
cudaError_t sim_cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                            size_t shared_bytes, cudaStream_t stream) {
  if (const cudaError_t error = check_launch(function, grid, block, shared_bytes)) return error;
  // All blocks must be resident at once.
  const auto blocks = std::int64_t{grid.x} * grid.y * grid.z;
  const auto room =
      active_blocks(static_cast<int>(block.x * block.y * block.z), shared_bytes) * simulator().model.sm_count;
  if (blocks > room) return cudaErrorCooperativeLaunchTooLarge;
  return run(function, grid, block, arguments, shared_bytes, stream);
}

}  // extern "C"
