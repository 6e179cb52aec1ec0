// Level 2: a matrix and vectors. The time is that of reading the matrix once.
#include "profiler/simgpu/blas/handle.h"

using namespace zerostall::simgpu;
using namespace zerostall::simgpu::blas;

namespace {

int matrix_vector(Handle* h, const char* name, int m, int n, Scalar type, double passes = 1) {
  if (m < 0 || n < 0) return kBlasInvalidValue;
  if (m == 0 || n == 0) return h ? kBlasSuccess : kBlasNotInitialized;
  return vector_kernel(h, name, passes * (double(m) * n + m + n) * type.bytes);
}

}  // namespace

#define FOR_EACH_TYPE(L, l)                                                                                           \
  EXPORT int cublas##L##gemv_v2(Handle* h, int, int m, int n, const void*, const void*, int, const void*, int,        \
                                const void*, void*, int) {                                                            \
    return matrix_vector(h, "sim_cublas_" #l "gemv", m, n, k##L);                                                     \
  }                                                                                                                   \
  EXPORT int cublas##L##symv_v2(Handle* h, int, int n, const void*, const void*, int, const void*, int, const void*,  \
                                void*, int) {                                                                         \
    return matrix_vector(h, "sim_cublas_" #l "symv", n, n, k##L);                                                     \
  }                                                                                                                   \
  EXPORT int cublas##L##trmv_v2(Handle* h, int, int, int, int n, const void*, int, void*, int) {                      \
    return matrix_vector(h, "sim_cublas_" #l "trmv", n, n, k##L, 0.5);                                                \
  }                                                                                                                   \
  EXPORT int cublas##L##trsv_v2(Handle* h, int, int, int, int n, const void*, int, void*, int) {                      \
    return matrix_vector(h, "sim_cublas_" #l "trsv", n, n, k##L, 0.5);                                                \
  }                                                                                                                   \
  EXPORT int cublas##L##syr_v2(Handle* h, int, int n, const void*, const void*, int, void*, int) {                    \
    return matrix_vector(h, "sim_cublas_" #l "syr", n, n, k##L);                                                      \
  }                                                                                                                   \
  EXPORT int cublas##L##syr2_v2(Handle* h, int, int n, const void*, const void*, int, const void*, int, void*, int) { \
    return matrix_vector(h, "sim_cublas_" #l "syr2", n, n, k##L);                                                     \
  }
FOR_EACH_TYPE(S, s)
FOR_EACH_TYPE(D, d)
FOR_EACH_TYPE(C, c)
FOR_EACH_TYPE(Z, z)

#define RANK_ONE(Name, L)                                                                                              \
  EXPORT int cublas##Name##_v2(Handle* h, int m, int n, const void*, const void*, int, const void*, int, void*, int) { \
    return matrix_vector(h, "sim_cublas_ger", m, n, k##L, 2);                                                          \
  }
RANK_ONE(Sger, S)
RANK_ONE(Dger, D)
RANK_ONE(Cgeru, C)
RANK_ONE(Cgerc, C)
RANK_ONE(Zgeru, Z)
RANK_ONE(Zgerc, Z)

#define HERMITIAN(L, l)                                                                                               \
  EXPORT int cublas##L##hemv_v2(Handle* h, int, int n, const void*, const void*, int, const void*, int, const void*,  \
                                void*, int) {                                                                         \
    return matrix_vector(h, "sim_cublas_" #l "hemv", n, n, k##L);                                                     \
  }                                                                                                                   \
  EXPORT int cublas##L##her_v2(Handle* h, int, int n, const void*, const void*, int, void*, int) {                    \
    return matrix_vector(h, "sim_cublas_" #l "her", n, n, k##L);                                                      \
  }                                                                                                                   \
  EXPORT int cublas##L##her2_v2(Handle* h, int, int n, const void*, const void*, int, const void*, int, void*, int) { \
    return matrix_vector(h, "sim_cublas_" #l "her2", n, n, k##L);                                                     \
  }
HERMITIAN(C, c)
HERMITIAN(Z, z)
