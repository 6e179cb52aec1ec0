// Level 3: products of matrices, also triangular and symmetric ones.
#include "profiler/simgpu/blas/handle.h"

using namespace zerostall::simgpu;
using namespace zerostall::simgpu::blas;

namespace {

constexpr int kLeft = 0;  // CUBLAS_SIDE_LEFT

// Triangular products and solves need half the operations of a full product with the square matrix on that side.
int triangular(Handle* h, const char* name, int side, int m, int n, double batch, Scalar type) {
  return product(h, name, m, n, (side == kLeft ? m : n) / 2.0, batch, type);
}

}  // namespace

#define FOR_EACH_TYPE(L, l)                                                                                            \
  EXPORT int cublas##L##gemm_v2(Handle* h, int, int, int m, int n, int k, const void*, const void*, int, const void*,  \
                                int, const void*, void*, int) {                                                        \
    return product(h, "sim_cublas_" #l "gemm", m, n, k, 1, k##L);                                                      \
  }                                                                                                                    \
  EXPORT int cublas##L##gemmBatched(Handle* h, int, int, int m, int n, int k, const void*, const void*, int,           \
                                    const void*, int, const void*, void*, int, int batch) {                            \
    return product(h, "sim_cublas_" #l "gemm_batched", m, n, k, batch, k##L);                                          \
  }                                                                                                                    \
  EXPORT int cublas##L##gemmStridedBatched(Handle* h, int, int, int m, int n, int k, const void*, const void*, int,    \
                                           long long, const void*, int, long long, const void*, void*, int, long long, \
                                           int batch) {                                                                \
    return product(h, "sim_cublas_" #l "gemm_batched", m, n, k, batch, k##L);                                          \
  }                                                                                                                    \
  EXPORT int cublas##L##symm_v2(Handle* h, int side, int, int m, int n, const void*, const void*, int, const void*,    \
                                int, const void*, void*, int) {                                                        \
    return product(h, "sim_cublas_" #l "symm", m, n, side == kLeft ? m : n, 1, k##L);                                  \
  }                                                                                                                    \
  EXPORT int cublas##L##syrk_v2(Handle* h, int, int, int n, int k, const void*, const void*, int, const void*, void*,  \
                                int) {                                                                                 \
    return product(h, "sim_cublas_" #l "syrk", n, n, k / 2.0, 1, k##L);                                                \
  }                                                                                                                    \
  EXPORT int cublas##L##syr2k_v2(Handle* h, int, int, int n, int k, const void*, const void*, int, const void*, int,   \
                                 const void*, void*, int) {                                                            \
    return product(h, "sim_cublas_" #l "syr2k", n, n, k, 1, k##L);                                                     \
  }                                                                                                                    \
  EXPORT int cublas##L##trmm_v2(Handle* h, int side, int, int, int, int m, int n, const void*, const void*, int,       \
                                const void*, int, void*, int) {                                                        \
    return triangular(h, "sim_cublas_" #l "trmm", side, m, n, 1, k##L);                                                \
  }                                                                                                                    \
  EXPORT int cublas##L##trsm_v2(Handle* h, int side, int, int, int, int m, int n, const void*, const void*, int,       \
                                void*, int) {                                                                          \
    return triangular(h, "sim_cublas_" #l "trsm", side, m, n, 1, k##L);                                                \
  }                                                                                                                    \
  EXPORT int cublas##L##trsmBatched(Handle* h, int side, int, int, int, int m, int n, const void*, const void*, int,   \
                                    void*, int, int batch) {                                                           \
    return triangular(h, "sim_cublas_" #l "trsm_batched", side, m, n, batch, k##L);                                    \
  }
FOR_EACH_TYPE(S, s)
FOR_EACH_TYPE(D, d)
FOR_EACH_TYPE(C, c)
FOR_EACH_TYPE(Z, z)

#define HERMITIAN(L, l)                                                                                               \
  EXPORT int cublas##L##hemm_v2(Handle* h, int side, int, int m, int n, const void*, const void*, int, const void*,   \
                                int, const void*, void*, int) {                                                       \
    return product(h, "sim_cublas_" #l "hemm", m, n, side == kLeft ? m : n, 1, k##L);                                 \
  }                                                                                                                   \
  EXPORT int cublas##L##herk_v2(Handle* h, int, int, int n, int k, const void*, const void*, int, const void*, void*, \
                                int) {                                                                                \
    return product(h, "sim_cublas_" #l "herk", n, n, k / 2.0, 1, k##L);                                               \
  }                                                                                                                   \
  EXPORT int cublas##L##her2k_v2(Handle* h, int, int, int n, int k, const void*, const void*, int, const void*, int,  \
                                 const void*, void*, int) {                                                           \
    return product(h, "sim_cublas_" #l "her2k", n, n, k, 1, k##L);                                                    \
  }
HERMITIAN(C, c)
HERMITIAN(Z, z)
