// Driver API: errors, versions, what an address is, entry point look-up.
#include <dlfcn.h>

#include <string>

#include "driver_behaviours.h"
#include "profiler/simgpu/driver/support.h"

using namespace zerostall::simgpu;

namespace {

CUresult put(const char** out, const char* text) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = text;
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) CUresult cuGetErrorString(CUresult error, const char** text) {
  return put(text, error == CUDA_SUCCESS ? "no error"
                   : error == CUDA_ERROR_NOT_SUPPORTED
                       ? "operation not supported (zerostall's simulated GPU does not implement it)"
                       : "error of the simulated GPU");
}
__attribute__((visibility("default"))) CUresult cuGetErrorName(CUresult error, const char** text) {
  return put(text, error == CUDA_SUCCESS               ? "CUDA_SUCCESS"
                   : error == CUDA_ERROR_NOT_SUPPORTED ? "CUDA_ERROR_NOT_SUPPORTED"
                                                       : "CUDA_ERROR_UNKNOWN");
}

CUresult sim_cuInit(unsigned) { return CUDA_SUCCESS; }  // initialize_driver() has run: ApiCall does it first
CUresult sim_cuDriverGetVersion(int* version) {
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  *version = 13000;
  return CUDA_SUCCESS;
}
CUresult sim_cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr pointer) {
  const MemoryMap::Block block = simulator().memory.find(reinterpret_cast<const void*>(pointer));
  if (!data || !block.base) return CUDA_ERROR_INVALID_VALUE;
  const bool device = block.kind != MemoryKind::pinned;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      *static_cast<CUcontext*>(data) = reinterpret_cast<CUcontext>(primary_context(0));
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<unsigned*>(data) = device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      *static_cast<CUdeviceptr*>(data) = pointer;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      *static_cast<int*>(data) = 0;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      *static_cast<unsigned*>(data) = block.kind == MemoryKind::managed;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

CUresult sim_cuGetProcAddress_v2(const char* symbol, void** function, int version, cuuint64_t,
                                 CUdriverProcAddressQueryResult* result) {
  if (!symbol || !function) return CUDA_ERROR_INVALID_VALUE;
  *function = nullptr;
  void* self = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (self && version >= 12000) *function = dlsym(self, (std::string(symbol) + "_v2").c_str());
  if (self && !*function) *function = dlsym(self, symbol);
  if (result) *result = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

}  // extern "C"
