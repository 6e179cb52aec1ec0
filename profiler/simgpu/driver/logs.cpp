// The driver's error log. Calls of the simulated driver write nothing into it, so whoever listens hears nothing.
#include <cstddef>

#include "driver_behaviours.h"
#include "profiler/simgpu/driver/support.h"

namespace {
char g_listener;  // only its address matters
}

extern "C" {

CUresult sim_cuLogsRegisterCallback(CUlogsCallback callback, void*, CUlogsCallbackHandle* handle) {
  if (!callback) return CUDA_ERROR_INVALID_VALUE;
  if (handle) *handle = reinterpret_cast<CUlogsCallbackHandle>(&g_listener);
  return CUDA_SUCCESS;
}
CUresult sim_cuLogsUnregisterCallback(CUlogsCallbackHandle handle) {
  return handle == reinterpret_cast<CUlogsCallbackHandle>(&g_listener) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // extern "C"
