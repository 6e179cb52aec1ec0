// Driver API: modules, libraries, functions and launches.
#include "profiler/simgpu/core/launch.h"

#include <fstream>

#include "driver_behaviours.h"
#include "profiler/simgpu/driver/support.h"

using namespace zerostall::simgpu;

namespace {

template <class Handle>
CUresult load(Handle* out, const void* image) {
  if (!out || !image) return CUDA_ERROR_INVALID_VALUE;
  *out = reinterpret_cast<Handle>(load_module());
  return CUDA_SUCCESS;
}
template <class Handle>
CUresult load_file(Handle* out, const char* path) {
  if (!out || !path) return CUDA_ERROR_INVALID_VALUE;
  if (!std::ifstream(path)) return CUDA_ERROR_FILE_NOT_FOUND;
  *out = reinterpret_cast<Handle>(load_module());
  return CUDA_SUCCESS;
}
template <class Handle>
CUresult get(Handle* out, const void* module_handle, const char* name) {
  Module* module = module_from(module_handle);
  if (!out || !name) return CUDA_ERROR_INVALID_VALUE;
  if (!module) return CUDA_ERROR_INVALID_HANDLE;
  *out = reinterpret_cast<Handle>(module_function(*module, name));
  return CUDA_SUCCESS;
}
template <class Handle>
CUresult enumerate(Handle* out, unsigned room, const void* module_handle) {
  const Module* module = module_from(module_handle);
  if (!out || !module) return module ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
  list_functions(*module, reinterpret_cast<void**>(out), room);
  return CUDA_SUCCESS;
}
CUresult count(unsigned* out, const void* module_handle) {
  const Module* module = module_from(module_handle);
  if (!out || !module) return module ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
  *out = static_cast<unsigned>(function_count(*module));
  return CUDA_SUCCESS;
}

CUresult attribute(int* value, CUfunction_attribute asked, const void* function) {
  cudaFuncAttributes all;
  if (!value) return CUDA_ERROR_INVALID_VALUE;
  if (function_attributes(function, &all)) return CUDA_ERROR_INVALID_HANDLE;
  switch (asked) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = all.maxThreadsPerBlock;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = all.numRegs;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = all.binaryVersion;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = all.maxDynamicSharedSizeBytes;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      *value = all.preferredShmemCarveout;
      return CUDA_SUCCESS;
    default:
      if (asked < 0 || asked >= CU_FUNC_ATTRIBUTE_MAX) return CUDA_ERROR_INVALID_VALUE;
      *value = 0;  // static shared, constant and local memory, clusters
      return CUDA_SUCCESS;
  }
}

CUresult set(const void* function, CUfunction_attribute attribute, int value) {
  const cudaError_t error = set_function_attribute(function, attribute, value);
  return error == cudaErrorInvalidDeviceFunction ? CUDA_ERROR_INVALID_HANDLE : status(error);
}

CUresult run(CUfunction f, dim3 grid, dim3 block, unsigned shared_bytes, CUstream stream) {
  const cudaError_t error = check_launch(f, grid, block, shared_bytes);
  if (error == cudaErrorInvalidDeviceFunction) return CUDA_ERROR_INVALID_HANDLE;
  if (error) return CUDA_ERROR_INVALID_VALUE;
  return status(launch({symbol_of(f), grid, block, shared_bytes, stream, -1, f}));
}

}  // namespace

extern "C" {

CUresult sim_cuModuleLoad(CUmodule* module, const char* path) { return load_file(module, path); }
CUresult sim_cuModuleLoadData(CUmodule* module, const void* image) { return load(module, image); }
CUresult sim_cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, CUjit_option*, void**) {
  return load(module, image);
}
CUresult sim_cuModuleLoadFatBinary(CUmodule* module, const void* image) { return load(module, image); }
CUresult sim_cuModuleUnload(CUmodule module) {
  return unload_module(module) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
CUresult sim_cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  return get(function, module, name);
}
CUresult sim_cuModuleGetFunctionCount(unsigned* out, CUmodule module) { return count(out, module); }
CUresult sim_cuModuleEnumerateFunctions(CUfunction* functions, unsigned room, CUmodule module) {
  return enumerate(functions, room, module);
}
CUresult sim_cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  if (!mode) return CUDA_ERROR_INVALID_VALUE;
  *mode = CU_MODULE_LAZY_LOADING;
  return CUDA_SUCCESS;
}

CUresult sim_cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option*, void**, unsigned, CUlibraryOption*,
                               void**, unsigned) {
  return load(library, code);
}
CUresult sim_cuLibraryLoadFromFile(CUlibrary* library, const char* path, CUjit_option*, void**, unsigned,
                                   CUlibraryOption*, void**, unsigned) {
  return load_file(library, path);
}
CUresult sim_cuLibraryUnload(CUlibrary library) {
  return unload_module(library) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
CUresult sim_cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  return get(kernel, library, name);
}
CUresult sim_cuLibraryGetKernelCount(unsigned* out, CUlibrary library) { return count(out, library); }
CUresult sim_cuLibraryEnumerateKernels(CUkernel* kernels, unsigned room, CUlibrary library) {
  return enumerate(kernels, room, library);
}
CUresult sim_cuLibraryGetModule(CUmodule* module, CUlibrary library) {
  if (!module || !module_from(library)) return module ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
  *module = reinterpret_cast<CUmodule>(library);
  return CUDA_SUCCESS;
}
CUresult sim_cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  if (!function || !function_of(kernel)) return function ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
  *function = reinterpret_cast<CUfunction>(kernel);
  return CUDA_SUCCESS;
}
CUresult sim_cuKernelGetName(const char** name, CUkernel kernel) {
  return sim_cuFuncGetName(name, reinterpret_cast<CUfunction>(kernel));
}
CUresult sim_cuKernelGetAttribute(int* value, CUfunction_attribute asked, CUkernel kernel, CUdevice) {
  return attribute(value, asked, kernel);
}
CUresult sim_cuKernelSetAttribute(CUfunction_attribute asked, int value, CUkernel kernel, CUdevice) {
  return set(kernel, asked, value);
}
CUresult sim_cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache, CUdevice) {
  return function_of(kernel) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult sim_cuFuncGetName(const char** name, CUfunction function) {
  const Function* found = function_of(function);
  if (!name || !found) return name ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
  *name = found->name;
  return CUDA_SUCCESS;
}
CUresult sim_cuFuncGetModule(CUmodule* module, CUfunction function) {
  const Function* found = function_of(function);
  if (!module || !found) return module ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
  *module = reinterpret_cast<CUmodule>(found->module);
  return CUDA_SUCCESS;
}
CUresult sim_cuFuncGetAttribute(int* value, CUfunction_attribute asked, CUfunction function) {
  return attribute(value, asked, function);
}
CUresult sim_cuFuncSetAttribute(CUfunction function, CUfunction_attribute asked, int value) {
  return set(function, asked, value);
}
CUresult sim_cuFuncSetCacheConfig(CUfunction function, CUfunc_cache) {
  return function_of(function) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
CUresult sim_cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction function) {
  if (!state || !function_of(function)) return state ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
  *state = CU_FUNCTION_LOADING_STATE_LOADED;
  return CUDA_SUCCESS;
}
CUresult sim_cuFuncLoad(CUfunction function) {
  return function_of(function) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult sim_cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                            unsigned shared_bytes, CUstream stream, void**, void**) {
  return run(f, dim3(gx, gy, gz), dim3(bx, by, bz), shared_bytes, stream);
}
CUresult sim_cuLaunchKernelEx(const CUlaunchConfig* c, CUfunction f, void**, void**) {
  if (!c) return CUDA_ERROR_INVALID_VALUE;
  return run(f, dim3(c->gridDimX, c->gridDimY, c->gridDimZ), dim3(c->blockDimX, c->blockDimY, c->blockDimZ),
             c->sharedMemBytes, c->hStream);
}
CUresult sim_cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                       unsigned bz, unsigned shared_bytes, CUstream stream, void**) {
  const auto room = active_blocks(static_cast<int>(bx * by * bz), shared_bytes) * simulator().model.sm_count;
  if (std::int64_t{gx} * gy * gz > room) return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
  return run(f, dim3(gx, gy, gz), dim3(bx, by, bz), shared_bytes, stream);
}

CUresult sim_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function, int block_size,
                                                                  size_t shared, unsigned) {
  if (!blocks || block_size <= 0) return CUDA_ERROR_INVALID_VALUE;
  if (!function_of(function)) return CUDA_ERROR_INVALID_HANDLE;
  *blocks = active_blocks(block_size, shared);
  return CUDA_SUCCESS;
}
CUresult sim_cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int block_size,
                                                         size_t shared) {
  return sim_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size, shared, 0);
}
CUresult sim_cuOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, CUfunction function, int blocks, int block_size) {
  if (!bytes || block_size <= 0) return CUDA_ERROR_INVALID_VALUE;
  if (!function_of(function)) return CUDA_ERROR_INVALID_HANDLE;
  *bytes = available_shared(blocks, block_size);
  return CUDA_SUCCESS;
}
CUresult sim_cuOccupancyMaxActiveClusters(int* clusters, CUfunction function, const CUlaunchConfig* config) {
  if (!clusters || !config) return CUDA_ERROR_INVALID_VALUE;
  if (!function_of(function)) return CUDA_ERROR_INVALID_HANDLE;
  unsigned cluster = 1;
  for (unsigned i = 0; i < config->numAttrs; ++i)
    if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      const auto& c = config->attrs[i].value.clusterDim;
      cluster = c.x * c.y * c.z;
    }
  const auto threads = static_cast<int>(config->blockDimX * config->blockDimY * config->blockDimZ);
  *clusters = active_clusters(cluster, threads, config->sharedMemBytes);
  return CUDA_SUCCESS;
}
CUresult sim_cuOccupancyMaxPotentialClusterSize(int* size, CUfunction function, const CUlaunchConfig* config) {
  if (!size || !config) return CUDA_ERROR_INVALID_VALUE;
  if (!function_of(function)) return CUDA_ERROR_INVALID_HANDLE;
  *size = simulator().model.compute_major >= 9 ? 8 : 1;
  return CUDA_SUCCESS;
}

}  // extern "C"
