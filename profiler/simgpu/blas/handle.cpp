// Handles and settings of cuBLAS. Creating a handle allocates no device memory here; on a GPU cuBLAS takes its default
// workspace lazily, and PyTorch always sets its own.
#include "profiler/simgpu/blas/handle.h"

#include "profiler/simgpu/core/faults.h"
#include "profiler/simgpu/core/library.h"

using namespace zerostall::simgpu;
using namespace zerostall::simgpu::blas;

namespace zerostall::simgpu::blas {

int vector_kernel(Handle* handle, const char* name, double bytes) {
  if (!handle) return kBlasNotInitialized;
  return library_kernel_by_bytes(name, bytes, handle->stream) == cudaSuccess ? kBlasSuccess : kBlasExecutionFailed;
}

int product(Handle* handle, const char* name, double m, double n, double k, double batch, Scalar type) {
  if (!handle) return kBlasNotInitialized;
  if (m < 0 || n < 0 || k < 0 || batch < 0) return kBlasInvalidValue;
  if (m * n * batch == 0) return kBlasSuccess;
  return blas_launch(name, m, n, k * type.work, batch, type.bits, handle->stream);
}

int reduction(Handle* handle, const char* name, double bytes, void* result, const void* value,
              std::size_t result_bytes) {
  if (const int status = vector_kernel(handle, name, bytes)) return status;
  library_write(result, value, result_bytes);
  if (handle->pointer_mode == kDevicePointers) return kBlasSuccess;
  return library_wait(handle->stream) == cudaSuccess ? kBlasSuccess : kBlasExecutionFailed;
}

}  // namespace zerostall::simgpu::blas

EXPORT int cublasCreate_v2(Handle** handle) {
  if (!handle) return kBlasInvalidValue;
  if (const int status = library_fault("cublasCreate_v2", kBlasNotInitialized)) return status;
  *handle = new Handle{};
  return kBlasSuccess;
}
// Documented to wait for the device.
EXPORT int cublasDestroy_v2(Handle* handle) {
  if (!handle) return kBlasNotInitialized;
  library_wait_device();
  delete handle;
  return kBlasSuccess;
}

// A new stream also brings back the default workspace, as documented.
EXPORT int cublasSetStream_v2(Handle* handle, const void* stream) {
  if (!handle) return kBlasNotInitialized;
  handle->stream = stream;
  handle->workspace = nullptr;
  handle->workspace_bytes = 0;
  return kBlasSuccess;
}
EXPORT int cublasGetStream_v2(Handle* handle, const void** stream) {
  if (!handle) return kBlasNotInitialized;
  *stream = handle->stream;
  return kBlasSuccess;
}
EXPORT int cublasSetWorkspace_v2(Handle* handle, void* workspace, std::size_t bytes) {
  if (!handle) return kBlasNotInitialized;
  if (reinterpret_cast<std::uintptr_t>(workspace) % 256 != 0) return kBlasInvalidValue;
  handle->workspace = workspace;
  handle->workspace_bytes = bytes;
  return kBlasSuccess;
}

#define SETTING(Name, field)                              \
  EXPORT int cublasSet##Name(Handle* handle, int value) { \
    if (!handle) return kBlasNotInitialized;              \
    handle->field = value;                                \
    return kBlasSuccess;                                  \
  }
#define ANSWER(Name, field)                                \
  EXPORT int cublasGet##Name(Handle* handle, int* value) { \
    if (!handle) return kBlasNotInitialized;               \
    if (!value) return kBlasInvalidValue;                  \
    *value = handle->field;                                \
    return kBlasSuccess;                                   \
  }
SETTING(MathMode, math_mode)
ANSWER(MathMode, math_mode)
SETTING(PointerMode_v2, pointer_mode)
ANSWER(PointerMode_v2, pointer_mode)
SETTING(AtomicsMode, atomics_mode)
ANSWER(AtomicsMode, atomics_mode)
SETTING(SmCountTarget, sm_count_target)
ANSWER(SmCountTarget, sm_count_target)

EXPORT int cublasGetVersion_v2(Handle*, int* version) {
  if (!version) return kBlasInvalidValue;
  *version = kBlasVersion;
  return kBlasSuccess;
}
EXPORT int cublasGetProperty(int which, int* value) {  // libraryPropertyType: major, minor, patch level
  if (!value || which < 0 || which > 2) return kBlasInvalidValue;
  *value = which == 0 ? kBlasVersion / 10000 : which == 1 ? kBlasVersion / 100 % 100 : kBlasVersion % 100;
  return kBlasSuccess;
}
EXPORT std::size_t cublasGetCudartVersion() { return CUDART_VERSION; }

namespace {

struct StatusText {
  int status;
  const char* name;
  const char* text;
};
constexpr StatusText kStatuses[] = {
    {kBlasSuccess, "CUBLAS_STATUS_SUCCESS", "success"},
    {kBlasNotInitialized, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    {3, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {kBlasInvalidValue, "CUBLAS_STATUS_INVALID_VALUE", "an invalid value was used as input"},
    {8, "CUBLAS_STATUS_ARCH_MISMATCH", "an absent device architectural feature is required"},
    {11, "CUBLAS_STATUS_MAPPING_ERROR", "an access to GPU memory space failed"},
    {kBlasExecutionFailed, "CUBLAS_STATUS_EXECUTION_FAILED", "the function failed to launch on the GPU"},
    {14, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {kBlasNotSupported, "CUBLAS_STATUS_NOT_SUPPORTED", "the functionality is not supported"},
    {16, "CUBLAS_STATUS_LICENSE_ERROR", "an error was detected when checking the license"},
};

}  // namespace

EXPORT const char* cublasGetStatusName(int status) {
  for (const StatusText& s : kStatuses)
    if (s.status == status) return s.name;
  return "unknown cuBLAS status";
}
EXPORT const char* cublasGetStatusString(int status) {
  for (const StatusText& s : kStatuses)
    if (s.status == status) return s.text;
  return "unknown cuBLAS status";
}
