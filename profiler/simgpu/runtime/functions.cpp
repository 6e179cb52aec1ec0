// Functions, libraries, occupancy.
#include "profiler/simgpu/core/functions.h"

#include "profiler/simgpu/core/simulator.h"
#include "profiler/simgpu/runtime/support.h"
#include "runtime_behaviours.h"

using namespace zerostall::simgpu;

namespace {

template <class Handle>
cudaError_t put(Handle* out, const void* function) {
  if (!out) return cudaErrorInvalidValue;
  *out = reinterpret_cast<Handle>(const_cast<void*>(function));
  return *out ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

unsigned cluster_blocks(const cudaLaunchConfig_t& config) {
  for (unsigned i = 0; i < config.numAttrs; ++i)
    if (config.attrs[i].id == cudaLaunchAttributeClusterDimension) {
      const auto& c = config.attrs[i].val.clusterDim;
      return c.x * c.y * c.z;
    }
  return 1;
}

}  // namespace

extern "C" {

cudaError_t sim_cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return function_attributes(function, attributes);
}
cudaError_t sim_cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return set_function_attribute(function, attribute, value);
}
cudaError_t sim_cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
  return function_of(function) ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}
cudaError_t sim_cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig) {
  return function_of(function) ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}
cudaError_t sim_cudaFuncGetName(const char** name, const void* function) {
  if (!name) return cudaErrorInvalidValue;
  const Function* found = function_of(function);
  if (!found) return cudaErrorInvalidDeviceFunction;
  *name = found->name;
  return cudaSuccess;
}
cudaError_t sim_cudaGetFuncBySymbol(cudaFunction_t* function, const void* symbol) {
  return put(function, function_of(symbol));
}
cudaError_t sim_cudaGetKernel(cudaKernel_t* kernel, const void* symbol) { return put(kernel, function_of(symbol)); }
cudaError_t sim_cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute, int value,
                                                int device) {
  if (device < 0 || device >= device_count()) return cudaErrorInvalidDevice;
  return set_function_attribute(kernel, attribute, value);
}

cudaError_t sim_cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption*, void**, unsigned,
                                    cudaLibraryOption*, void**, unsigned) {
  if (!library || !code) return cudaErrorInvalidValue;
  *library = reinterpret_cast<cudaLibrary_t>(load_module());
  return cudaSuccess;
}
cudaError_t sim_cudaLibraryUnload(cudaLibrary_t library) {
  return unload_module(library) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}
cudaError_t sim_cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  Module* module = module_from(library);
  if (!module) return cudaErrorInvalidResourceHandle;
  return name ? put(kernel, module_function(*module, name)) : cudaErrorInvalidValue;
}

cudaError_t sim_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                       int block_size, size_t shared, unsigned flags) {
  if (!blocks || block_size <= 0 || flags > cudaOccupancyDisableCachingOverride) return cudaErrorInvalidValue;
  if (!function_of(function)) return cudaErrorInvalidDeviceFunction;
  *blocks = active_blocks(block_size, shared);
  return cudaSuccess;
}
cudaError_t sim_cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int block_size,
                                                              size_t shared) {
  return sim_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size, shared, 0);
}
cudaError_t sim_cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function, int blocks,
                                                          int block_size) {
  if (!bytes || block_size <= 0) return cudaErrorInvalidValue;
  if (!function_of(function)) return cudaErrorInvalidDeviceFunction;
  *bytes = available_shared(blocks, block_size);
  return cudaSuccess;
}
cudaError_t sim_cudaOccupancyMaxPotentialClusterSize(int* size, const void* function,
                                                     const cudaLaunchConfig_t* config) {
  if (!size || !config) return cudaErrorInvalidValue;
  if (!function_of(function)) return cudaErrorInvalidDeviceFunction;
  *size = simulator().model.compute_major >= 9 ? 8 : 1;  // 8: the portable maximum of the programming guide
  return cudaSuccess;
}
cudaError_t sim_cudaOccupancyMaxActiveClusters(int* clusters, const void* function, const cudaLaunchConfig_t* config) {
  if (!clusters || !config) return cudaErrorInvalidValue;
  if (!function_of(function)) return cudaErrorInvalidDeviceFunction;
  const auto threads = static_cast<int>(config->blockDim.x * config->blockDim.y * config->blockDim.z);
  *clusters = active_clusters(cluster_blocks(*config), threads, config->dynamicSmemBytes);
  return cudaSuccess;
}

}  // extern "C"
