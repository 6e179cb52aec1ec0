// The version, entry points of the driver, batch copies, and names that CUDA 13 no longer has.
#include <cstdint>

#include "profiler/simgpu/runtime12/next.h"

NEXT(cudaGetDriverEntryPointByVersion);
NEXT(cudaMemcpyBatchAsync);
NEXT(cudaMemcpy3DBatchAsync);
NEXT(cudaDeviceSynchronize);
NEXT(cudaDeviceReset);
NEXT(cudaDeviceGetLimit);
NEXT(cudaDeviceSetLimit);
NEXT(cudaDeviceGetCacheConfig);
NEXT(cudaDeviceSetCacheConfig);

namespace {
constexpr int kVersion = 12080;  // the newest of CUDA 12 whose functions are all here
}

extern "C" {

cudaError_t compat12_cudaRuntimeGetVersion(int* version) {
  if (!version) return cudaErrorInvalidValue;
  *version = kVersion;
  return cudaSuccess;
}

cudaError_t compat12_cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                             cudaDriverEntryPointQueryResult* result) {
  return next_cudaGetDriverEntryPointByVersion(symbol, function, kVersion, flags, result);
}

// CUDA 12 also says which operation failed; SIZE_MAX: none in particular.
cudaError_t compat12_cudaMemcpyBatchAsync(void** to, void** from, size_t* bytes, size_t count,
                                          cudaMemcpyAttributes* attributes, size_t* indexes, size_t attribute_count,
                                          size_t* failed, cudaStream_t stream) {
  if (failed) *failed = SIZE_MAX;
  return next_cudaMemcpyBatchAsync(to, from, bytes, count, attributes, indexes, attribute_count, stream);
}
cudaError_t compat12_cudaMemcpy3DBatchAsync(size_t count, cudaMemcpy3DBatchOp* operations, size_t* failed,
                                            unsigned long long flags, cudaStream_t stream) {
  if (failed) *failed = SIZE_MAX;
  return next_cudaMemcpy3DBatchAsync(count, operations, flags, stream);
}

cudaError_t compat12_cudaThreadSynchronize() { return next_cudaDeviceSynchronize(); }
cudaError_t compat12_cudaThreadExit() { return next_cudaDeviceReset(); }
cudaError_t compat12_cudaThreadGetLimit(size_t* value, cudaLimit limit) {
  return next_cudaDeviceGetLimit(value, limit);
}
cudaError_t compat12_cudaThreadSetLimit(cudaLimit limit, size_t value) { return next_cudaDeviceSetLimit(limit, value); }
cudaError_t compat12_cudaThreadGetCacheConfig(cudaFuncCache* config) { return next_cudaDeviceGetCacheConfig(config); }
cudaError_t compat12_cudaThreadSetCacheConfig(cudaFuncCache config) { return next_cudaDeviceSetCacheConfig(config); }

// Devices have double precision since capability 1.3: nothing to convert.
cudaError_t compat12_cudaSetDoubleForDevice(double* value) { return value ? cudaSuccess : cudaErrorInvalidValue; }
cudaError_t compat12_cudaSetDoubleForHost(double* value) { return value ? cudaSuccess : cudaErrorInvalidValue; }

}  // extern "C"
