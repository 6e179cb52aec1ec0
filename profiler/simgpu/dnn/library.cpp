// cuDNN's handle, versions and error texts.
#include "profiler/simgpu/core/library.h"

#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstring>

#include "profiler/simgpu/core/faults.h"
#include "profiler/simgpu/dnn/types.h"

using namespace zerostall::simgpu;
using namespace zerostall::simgpu::dnn;

namespace zerostall::simgpu::dnn {
namespace {

// PyTorch wants a runtime of the major version it was compiled with and of no older minor version: 9.1 (2.6) to 9.26
// (2.15). The newest of them satisfies all.
constexpr int kMajor = 9, kMinor = 26, kPatch = 0;

thread_local const char* t_reason = "";

}  // namespace

int type_bits(int data_type) {
  constexpr int kBits[] = {32, 64, 16, 8, 32, 32, 8, 32, 256, 16, 64, 8, 8, 8, 8, 8, 4, 4, 4, 32, 64, 128};
  return data_type >= 0 && data_type < int(sizeof kBits / sizeof *kBits) ? kBits[data_type] : 32;
}

double elements(const Tensor& t) {
  double n = t.count > 0 ? 1 : 0;
  for (int i = 0; i < t.count; ++i) n *= t.dims[i];
  return n;
}
double elements(const Filter& f) {
  double n = f.count > 0 ? 1 : 0;
  for (int i = 0; i < f.count; ++i) n *= f.dims[i];
  return n;
}
double bytes(const Tensor& t) { return elements(t) * type_bits(t.type) / 8; }
double bytes(const Filter& f) { return elements(f) * type_bits(f.type) / 8; }

int kernel_by_bytes(const Handle* handle, const char* name, double bytes) {
  if (!handle) return fail(kBadParamNull, "the handle is null");
  return library_kernel_by_bytes(name, bytes, handle->stream) == cudaSuccess
             ? kSuccess
             : fail(kExecutionFailed, "the launch failed");
}

int kernel(const Handle* handle, const char* name, std::int64_t ns, double threads) {
  if (!handle) return fail(kBadParamNull, "the handle is null");
  return library_kernel(name, ns, threads, handle->stream) == cudaSuccess ? kSuccess
                                                                          : fail(kExecutionFailed, "the launch failed");
}

int touch(const Handle* h, const char* name, std::initializer_list<const Tensor*> tensors) {
  double total = 0;
  for (const Tensor* t : tensors) {
    if (!t) return fail(kBadParamNull, "a descriptor is null");
    total += bytes(*t);
  }
  return kernel_by_bytes(h, name, total);
}

int fail(int status, const char* reason) {
  t_reason = reason;
  return status;
}

}  // namespace zerostall::simgpu::dnn

EXPORT std::size_t cudnnGetVersion() { return kMajor * 10000 + kMinor * 100 + kPatch; }
EXPORT std::size_t cudnnGetMaxDeviceVersion() { return 1210; }  // compute capability 12.1
EXPORT std::size_t cudnnGetCudartVersion() { return CUDART_VERSION; }
EXPORT int cudnnGetProperty(int which, int* value) {  // libraryPropertyType: major, minor, patch level
  if (!value || which < 0 || which > 2) return kBadParam;
  *value = which == 0 ? kMajor : which == 1 ? kMinor : kPatch;
  return kSuccess;
}

EXPORT int cudnnCreate(Handle** handle) {
  constexpr int kNotInitialized = 1001;
  if (!handle) return kBadParamNull;
  if (const int status = zerostall::simgpu::library_fault("cudnnCreate", kNotInitialized)) return status;
  *handle = new Handle{};
  return kSuccess;
}
EXPORT int cudnnDestroy(Handle* handle) {
  delete handle;
  return kSuccess;
}
EXPORT int cudnnSetStream(Handle* handle, const void* stream) {
  if (!handle) return kBadParamNull;
  handle->stream = stream;
  return kSuccess;
}
EXPORT int cudnnGetStream(Handle* handle, const void** stream) {
  if (!handle || !stream) return kBadParamNull;
  *stream = handle->stream;
  return kSuccess;
}

EXPORT int cudnnGraphVersionCheck() { return kSuccess; }
EXPORT int cudnnOpsVersionCheck() { return kSuccess; }
EXPORT int cudnnCnnVersionCheck() { return kSuccess; }
EXPORT int cudnnAdvVersionCheck() { return kSuccess; }

EXPORT const char* cudnnGetErrorString(int status) {
  switch (status) {
    case kSuccess:
      return "CUDNN_STATUS_SUCCESS";
    case kNotInitialized:
      return "CUDNN_STATUS_NOT_INITIALIZED";
    case kBadParam:
      return "CUDNN_STATUS_BAD_PARAM";
    case kBadParamNull:
      return "CUDNN_STATUS_BAD_PARAM_NULL_POINTER";
    case kBadParamNotFinalized:
      return "CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED";
    case kBadParamSizeInsufficient:
      return "CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT";
    case kBadParamShapeMismatch:
      return "CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH";
    case kNotSupported:
      return "CUDNN_STATUS_NOT_SUPPORTED";
    case kInternalError:
      return "CUDNN_STATUS_INTERNAL_ERROR";
    case kExecutionFailed:
      return "CUDNN_STATUS_EXECUTION_FAILED";
    default:
      return "unknown cuDNN status";
  }
}
EXPORT void cudnnGetLastErrorString(char* message, std::size_t bytes) {
  if (message && bytes > 0) std::snprintf(message, bytes, "%s", t_reason);
}
