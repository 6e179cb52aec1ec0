#include "profiler/simgpu/core/faults.h"
#include "profiler/simgpu/core/product.h"
#include "profiler/simgpu/sparse/types.h"

using namespace zerostall::simgpu;
using namespace zerostall::simgpu::sparse;

namespace zerostall::simgpu::sparse {
namespace {

constexpr int kVersion = 12600;

double index_bytes(int index_type) { return index_type == 3 ? 8 : index_type == 1 ? 2 : 4; }  // 64, 16, 32 bits

}  // namespace

double bytes(const SparseMatrix& m) {
  constexpr int kCoo = 3;
  const double values = double(m.nonzeros) * double(m.block_rows * m.block_columns) * type_bits(m.value_type) / 8;
  const double offsets = double(m.format == kCoo ? m.nonzeros : m.rows + 1) * index_bytes(m.offsets_type);
  return (values + double(m.nonzeros) * index_bytes(m.index_type) + offsets) * m.batch;
}
double bytes(const DenseMatrix& m) {
  return double(m.rows) * double(m.columns) * m.batch * type_bits(m.value_type) / 8;
}
double bytes(const DenseVector& v) { return double(v.size) * type_bits(v.value_type) / 8; }

int kernel(const Handle* handle, const char* name, double bytes) {
  if (!handle) return kNotInitialized;
  return library_kernel_by_bytes(name, bytes, handle->stream) == cudaSuccess ? kSuccess : kExecutionFailed;
}

}  // namespace zerostall::simgpu::sparse

EXPORT int cusparseCreate(Handle** handle) {
  const int status = zerostall::simgpu::library_fault("cusparseCreate", kNotInitialized);
  return status ? status : create(handle);
}
EXPORT int cusparseDestroy(Handle* handle) {
  delete handle;
  return kSuccess;
}
EXPORT int cusparseSetStream(Handle* handle, const void* stream) {
  if (!handle) return kNotInitialized;
  handle->stream = stream;
  return kSuccess;
}
EXPORT int cusparseGetStream(Handle* handle, const void** stream) {
  if (!handle || !stream) return kNotInitialized;
  *stream = handle->stream;
  return kSuccess;
}
EXPORT int cusparseSetPointerMode(Handle* handle, int mode) {
  if (!handle) return kNotInitialized;
  handle->pointer_mode = mode;
  return kSuccess;
}
EXPORT int cusparseGetPointerMode(Handle* handle, int* mode) {
  if (!handle || !mode) return kNotInitialized;
  *mode = handle->pointer_mode;
  return kSuccess;
}
EXPORT int cusparseGetVersion(Handle*, int* version) {
  if (!version) return kInvalidValue;
  *version = kVersion;
  return kSuccess;
}
EXPORT const char* cusparseGetErrorName(int status) {
  constexpr const char* kNames[] = {"CUSPARSE_STATUS_SUCCESS",
                                    "CUSPARSE_STATUS_NOT_INITIALIZED",
                                    "CUSPARSE_STATUS_ALLOC_FAILED",
                                    "CUSPARSE_STATUS_INVALID_VALUE",
                                    "CUSPARSE_STATUS_ARCH_MISMATCH",
                                    "CUSPARSE_STATUS_MAPPING_ERROR",
                                    "CUSPARSE_STATUS_EXECUTION_FAILED",
                                    "CUSPARSE_STATUS_INTERNAL_ERROR",
                                    "CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
                                    "CUSPARSE_STATUS_ZERO_PIVOT",
                                    "CUSPARSE_STATUS_NOT_SUPPORTED",
                                    "CUSPARSE_STATUS_INSUFFICIENT_RESOURCES"};
  return status >= 0 && status < int(sizeof kNames / sizeof *kNames) ? kNames[status] : "unknown cuSPARSE status";
}
EXPORT const char* cusparseGetErrorString(int status) {
  switch (status) {
    case kSuccess:
      return "success";
    case kNotInitialized:
      return "initialization error";
    case kInvalidValue:
      return "invalid value";
    case kExecutionFailed:
      return "execution failed";
    case kNotSupported:
      return "not supported";
    default:
      return cusparseGetErrorName(status);
  }
}

EXPORT int cusparseCreateMatDescr(Legacy** d) { return create(d); }
EXPORT int cusparseDestroyMatDescr(Legacy* d) {
  delete d;
  return kSuccess;
}
#define LEGACY(Name, field)                               \
  EXPORT int cusparseSetMat##Name(Legacy* d, int value) { \
    if (!d) return kInvalidValue;                         \
    d->field = value;                                     \
    return kSuccess;                                      \
  }                                                       \
  EXPORT int cusparseGetMat##Name(const Legacy* d) { return d ? d->field : 0; }
LEGACY(Type, type)
LEGACY(FillMode, fill_mode)
LEGACY(DiagType, diagonal_type)
LEGACY(IndexBase, base)
