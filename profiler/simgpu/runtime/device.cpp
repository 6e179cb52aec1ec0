// Versions, errors.
#include "profiler/simgpu/core/errors.h"
#include "profiler/simgpu/core/hooks.h"
#include "profiler/simgpu/runtime/support.h"
#include "runtime_behaviours.h"

using namespace zerostall::simgpu;

namespace zerostall::simgpu {
thread_local cudaError_t t_last_error = cudaSuccess;
}

namespace {

constexpr int kVersion = 13000;

}  // namespace

extern "C" {

__attribute__((visibility("default"))) const char* cudaGetErrorString(cudaError_t error) {
  const char* text = error_text(error);
  return text ? text : "unrecognized error code";
}
__attribute__((visibility("default"))) const char* cudaGetErrorName(cudaError_t error) {
  const char* name = runtime_error_name(error);
  return name ? name : "unrecognized error code";
}

cudaError_t sim_cudaDriverGetVersion(int* version) {
  if (!version) return cudaErrorInvalidValue;
  *version = kVersion;
  return cudaSuccess;
}
cudaError_t sim_cudaRuntimeGetVersion(int* version) { return sim_cudaDriverGetVersion(version); }
cudaError_t sim_cudaGetLastError() {
  const cudaError_t error = t_last_error;
  t_last_error = cudaSuccess;
  return error;
}
cudaError_t sim_cudaPeekAtLastError() { return t_last_error; }

cudaError_t sim_cudaProfilerStart() { return cudaSuccess; }
cudaError_t sim_cudaProfilerStop() { return cudaSuccess; }

}  // extern "C"
