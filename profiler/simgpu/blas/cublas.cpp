// cuBLAS and cuBLASLt as far as PyTorch's matrix products need them: handles, settings, and products as kernel launches
// whose time follows from their dimensions. cuBLAS headers come only with downloads of hundreds of MB, so the few types
// needed are declared here, from the public documentation. Everything else that torch imports is generated as "not
// supported".
#include <cstdint>
#include <cstring>

#include "profiler/simgpu/core/product.h"
#include "profiler/simgpu/core/launch.h"

using namespace zerostall::simgpu;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

struct Handle {
  const void* stream;
  int math_mode;
  int pointer_mode;
};

int product(Handle* handle, const char* name, double m, double n, double k, double batch, int bits) {
  return blas_launch(name, m, n, k, batch, bits, handle->stream);
}

}  // namespace

EXPORT int cublasCreate_v2(Handle** handle) {
  *handle = new Handle{};
  return kBlasSuccess;
}
EXPORT int cublasDestroy_v2(Handle* handle) {
  delete handle;
  return kBlasSuccess;
}
EXPORT int cublasSetStream_v2(Handle* handle, const void* stream) {
  handle->stream = stream;
  return kBlasSuccess;
}
EXPORT int cublasGetStream_v2(Handle* handle, const void** stream) {
  *stream = handle->stream;
  return kBlasSuccess;
}
EXPORT int cublasSetWorkspace_v2(Handle*, void*, std::size_t) { return kBlasSuccess; }
EXPORT int cublasSetMathMode(Handle* handle, int mode) {
  handle->math_mode = mode;
  return kBlasSuccess;
}
EXPORT int cublasGetMathMode(Handle* handle, int* mode) {
  *mode = handle->math_mode;
  return kBlasSuccess;
}
EXPORT int cublasSetPointerMode_v2(Handle* handle, int mode) {
  handle->pointer_mode = mode;
  return kBlasSuccess;
}
EXPORT int cublasGetPointerMode_v2(Handle* handle, int* mode) {
  *mode = handle->pointer_mode;
  return kBlasSuccess;
}
EXPORT int cublasGetVersion_v2(Handle*, int* version) {
  *version = kBlasVersion;
  return kBlasSuccess;
}
EXPORT const char* cublasGetStatusString(int status) {
  return status == kBlasSuccess ? "success" : "error of the simulated GPU";
}

EXPORT int cublasSgemm_v2(Handle* h, int, int, int m, int n, int k, ...) {
  return product(h, "sim_cublas_sgemm", m, n, k, 1, 32);
}
EXPORT int cublasDgemm_v2(Handle* h, int, int, int m, int n, int k, ...) {
  return product(h, "sim_cublas_dgemm", m, n, k, 1, 64);
}
EXPORT int cublasGemmEx(Handle* h, int, int, int m, int n, int k, const void*, const void*, int a_type, int,
                        const void*, int, int, const void*, void*, int, int, int, int) {
  return product(h, "sim_cublas_gemm_ex", m, n, k, 1, type_bits(a_type));
}
EXPORT int cublasSgemmStridedBatched(Handle* h, int, int, int m, int n, int k, const float*, const float*, int,
                                     long long, const float*, int, long long, const float*, float*, int, long long,
                                     int batch) {
  return product(h, "sim_cublas_sgemm_batched", m, n, k, batch, 32);
}
EXPORT int cublasGemmStridedBatchedEx(Handle* h, int, int, int m, int n, int k, const void*, const void*, int a_type,
                                      int, long long, const void*, int, int, long long, const void*, void*, int, int,
                                      long long, int batch, int, int) {
  return product(h, "sim_cublas_gemm_batched_ex", m, n, k, batch, type_bits(a_type));
}
