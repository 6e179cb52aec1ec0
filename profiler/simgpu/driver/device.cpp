// Driver API: errors, versions, what an address is, entry point look-up.
#include "driver_behaviours.h"
#include "profiler/simgpu/core/driver_forms.h"
#include "profiler/simgpu/core/errors.h"
#include "profiler/simgpu/driver/support.h"

using namespace zerostall::simgpu;

namespace {

CUresult put(const char** out, const char* text) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = text;
  return text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) CUresult cuGetErrorString(CUresult error, const char** text) {
  return put(text, error_text(error));
}
__attribute__((visibility("default"))) CUresult cuGetErrorName(CUresult error, const char** text) {
  return put(text, driver_error_name(error));
}

CUresult sim_cuInit(unsigned) { return CUDA_SUCCESS; }  // initialize_driver() has run: ApiCall does it first
CUresult sim_cuDriverGetVersion(int* version) {
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  *version = 13000;
  return CUDA_SUCCESS;
}
CUresult sim_cuGetProcAddress_v2(const char* symbol, void** function, int version, cuuint64_t flags,
                                 CUdriverProcAddressQueryResult* result) {
  if (!symbol || !function) return CUDA_ERROR_INVALID_VALUE;
  *function = find_driver_function(symbol, version, flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
  if (result)
    *result = *function                          ? CU_GET_PROC_ADDRESS_SUCCESS
              : form_of(symbol, version).empty() ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                                 : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

}  // extern "C"
