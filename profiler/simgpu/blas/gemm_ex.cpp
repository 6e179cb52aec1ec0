// Products with their types as arguments (cudaDataType), and half precision.
#include "profiler/simgpu/blas/handle.h"

using namespace zerostall::simgpu;
using namespace zerostall::simgpu::blas;

namespace {

constexpr Scalar kHalf{2, 16, 1};

}  // namespace

EXPORT int cublasGemmEx(Handle* h, int, int, int m, int n, int k, const void*, const void*, int a_type, int,
                        const void*, int, int, const void*, void*, int, int, int, int) {
  return product(h, "sim_cublas_gemm_ex", m, n, k, 1, scalar_of(a_type));
}
EXPORT int cublasSgemmEx(Handle* h, int, int, int m, int n, int k, const void*, const void*, int a_type, int,
                         const void*, int, int, const void*, void*, int, int) {
  return product(h, "sim_cublas_sgemm_ex", m, n, k, 1, scalar_of(a_type));
}
EXPORT int cublasGemmBatchedEx(Handle* h, int, int, int m, int n, int k, const void*, const void*, int a_type, int,
                               const void*, int, int, const void*, void*, int, int, int batch, int, int) {
  return product(h, "sim_cublas_gemm_batched_ex", m, n, k, batch, scalar_of(a_type));
}
EXPORT int cublasGemmStridedBatchedEx(Handle* h, int, int, int m, int n, int k, const void*, const void*, int a_type,
                                      int, long long, const void*, int, int, long long, const void*, void*, int, int,
                                      long long, int batch, int, int) {
  return product(h, "sim_cublas_gemm_batched_ex", m, n, k, batch, scalar_of(a_type));
}
EXPORT int cublasHgemm(Handle* h, int, int, int m, int n, int k, const void*, const void*, int, const void*, int,
                       const void*, void*, int) {
  return product(h, "sim_cublas_hgemm", m, n, k, 1, kHalf);
}
EXPORT int cublasHgemmStridedBatched(Handle* h, int, int, int m, int n, int k, const void*, const void*, int, long long,
                                     const void*, int, long long, const void*, void*, int, long long, int batch) {
  return product(h, "sim_cublas_hgemm_batched", m, n, k, batch, kHalf);
}
