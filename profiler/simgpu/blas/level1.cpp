// Level 1: vectors. Functions with a scalar result block the host when it goes to host memory.
#include "profiler/simgpu/blas/handle.h"

using namespace zerostall::simgpu;
using namespace zerostall::simgpu::blas;

namespace {

constexpr double kZeroResult[2] = {0, 0};  // of any type
constexpr int kFirstIndex = 1;             // amax of a vector of zeros; indices count from one

double bytes_of(int n, int vectors, Scalar type) { return n > 0 ? double(n) * vectors * type.bytes : 0.0; }

int scalar_result(Handle* h, const char* name, int n, int vectors, Scalar type, void* result, std::size_t bytes) {
  return reduction(h, name, bytes_of(n, vectors, type), result, kZeroResult, bytes);
}

int index_result(Handle* h, const char* name, int n, Scalar type, int* result) {
  const int value = n > 0 ? kFirstIndex : 0;
  return reduction(h, name, bytes_of(n, 1, type), result, &value, sizeof value);
}

}  // namespace

// L: letter of the function's name, l: the same in lower case.
#define FOR_EACH_TYPE(L, l)                                                                                  \
  EXPORT int cublas##L##axpy_v2(Handle* h, int n, const void*, const void*, int, void*, int) {               \
    return vector_kernel(h, "sim_cublas_" #l "axpy", bytes_of(n, 3, k##L));                                  \
  }                                                                                                          \
  EXPORT int cublas##L##copy_v2(Handle* h, int n, const void*, int, void*, int) {                            \
    return vector_kernel(h, "sim_cublas_" #l "copy", bytes_of(n, 2, k##L));                                  \
  }                                                                                                          \
  EXPORT int cublas##L##swap_v2(Handle* h, int n, void*, int, void*, int) {                                  \
    return vector_kernel(h, "sim_cublas_" #l "swap", bytes_of(n, 4, k##L));                                  \
  }                                                                                                          \
  EXPORT int cublas##L##scal_v2(Handle* h, int n, const void*, void*, int) {                                 \
    return vector_kernel(h, "sim_cublas_" #l "scal", bytes_of(n, 2, k##L));                                  \
  }                                                                                                          \
  EXPORT int cublas##L##rot_v2(Handle* h, int n, void*, int, void*, int, const void*, const void*) {         \
    return vector_kernel(h, "sim_cublas_" #l "rot", bytes_of(n, 4, k##L));                                   \
  }                                                                                                          \
  EXPORT int cublas##L##rotg_v2(Handle* h, void* a, void* b, void* c, void* s) {                             \
    (void)b, (void)c, (void)s;                                                                               \
    return reduction(h, "sim_cublas_" #l "rotg", 4.0 * k##L.bytes, a, kZeroResult, std::size_t(k##L.bytes)); \
  }                                                                                                          \
  EXPORT int cublasI##l##amax_v2(Handle* h, int n, const void*, int, int* result) {                          \
    return index_result(h, "sim_cublas_i" #l "amax", n, k##L, result);                                       \
  }                                                                                                          \
  EXPORT int cublasI##l##amin_v2(Handle* h, int n, const void*, int, int* result) {                          \
    return index_result(h, "sim_cublas_i" #l "amin", n, k##L, result);                                       \
  }
FOR_EACH_TYPE(S, s)
FOR_EACH_TYPE(D, d)
FOR_EACH_TYPE(C, c)
FOR_EACH_TYPE(Z, z)

// Norms and sums of magnitudes are real numbers, R bytes wide.
#define MAGNITUDES(Prefix, T, R)                                                         \
  EXPORT int cublas##Prefix##nrm2_v2(Handle* h, int n, const void*, int, void* result) { \
    return scalar_result(h, "sim_cublas_nrm2", n, 1, k##T, result, R);                   \
  }                                                                                      \
  EXPORT int cublas##Prefix##asum_v2(Handle* h, int n, const void*, int, void* result) { \
    return scalar_result(h, "sim_cublas_asum", n, 1, k##T, result, R);                   \
  }
MAGNITUDES(S, S, 4)
MAGNITUDES(D, D, 8)
MAGNITUDES(Sc, C, 4)
MAGNITUDES(Dz, Z, 8)

#define DOT(Name, T)                                                                                 \
  EXPORT int cublas##Name##_v2(Handle* h, int n, const void*, int, const void*, int, void* result) { \
    return scalar_result(h, "sim_cublas_dot", n, 2, k##T, result, std::size_t(k##T.bytes));          \
  }
DOT(Sdot, S)
DOT(Ddot, D)
DOT(Cdotu, C)
DOT(Cdotc, C)
DOT(Zdotu, Z)
DOT(Zdotc, Z)

namespace {

int dot_ex(Handle* h, int n, int x_type, void* result, int result_type) {
  const double bytes = n > 0 ? 2.0 * n * type_bits(x_type) / 8 : 0.0;
  return reduction(h, "sim_cublas_dot_ex", bytes, result, kZeroResult, std::size_t(type_bits(result_type) / 8));
}

}  // namespace

EXPORT int cublasDotEx(Handle* h, int n, const void*, int x_type, int, const void*, int, int, void* result,
                       int result_type, int) {
  return dot_ex(h, n, x_type, result, result_type);
}
EXPORT int cublasDotcEx(Handle* h, int n, const void*, int x_type, int, const void*, int, int, void* result,
                        int result_type, int) {
  return dot_ex(h, n, x_type, result, result_type);
}

// A complex vector with real factors.
#define REAL_FACTOR(L, scal, rot)                                                                   \
  EXPORT int cublas##scal##_v2(Handle* h, int n, const void*, void*, int) {                         \
    return vector_kernel(h, "sim_cublas_scal", bytes_of(n, 2, k##L));                               \
  }                                                                                                 \
  EXPORT int cublas##rot##_v2(Handle* h, int n, void*, int, void*, int, const void*, const void*) { \
    return vector_kernel(h, "sim_cublas_rot", bytes_of(n, 4, k##L));                                \
  }
REAL_FACTOR(C, Csscal, Csrot)
REAL_FACTOR(Z, Zdscal, Zdrot)

// Modified rotations exist for real numbers only.
#define MODIFIED_ROTATION(L)                                                                             \
  EXPORT int cublas##L##rotm_v2(Handle* h, int n, void*, int, void*, int, const void*) {                 \
    return vector_kernel(h, "sim_cublas_rotm", bytes_of(n, 4, k##L));                                    \
  }                                                                                                      \
  EXPORT int cublas##L##rotmg_v2(Handle* h, void* d1, void*, void*, const void*, void*) {                \
    return reduction(h, "sim_cublas_rotmg", 9.0 * k##L.bytes, d1, kZeroResult, std::size_t(k##L.bytes)); \
  }
MODIFIED_ROTATION(S)
MODIFIED_ROTATION(D)
