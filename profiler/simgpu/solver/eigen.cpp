// Eigenvalues of symmetric and Hermitian matrices, and singular values.
#include <algorithm>

#include "profiler/simgpu/solver/handle.h"

using namespace zerostall::simgpu;
using namespace zerostall::simgpu::solver;

namespace {

// Operations in units of n^3 multiplications, from the textbook: reduction, iteration, vectors.
constexpr double kEigenWork = 4.5, kEigenJacobiWork = 20, kSvdWork = 10, kSvdJacobiWork = 25;

double square_and_more(int n) { return 2.0 * n * n + 6.0 * n + 64; }
double svd_count(int m, int n) { return double(m) * n + 2.0 * std::max(m, n) * 64 + 64; }

}  // namespace

#define SYMMETRIC(L, evd, evj)                                                                                      \
  EXPORT int cusolverDn##L##evd##_bufferSize(Handle*, int, int, int n, const void*, int, const void*, int* count) { \
    return give_count(square_and_more(n), count);                                                                   \
  }                                                                                                                 \
  EXPORT int cusolverDn##L##evd(Handle* h, int, int, int n, void*, int, void*, void*, int, int* info) {             \
    return solve(h, "sim_cusolver_" #evd, n, n, kEigenWork * n, k##L, info);                                        \
  }                                                                                                                 \
  EXPORT int cusolverDn##L##evj##_bufferSize(Handle*, int, int, int n, const void*, int, const void*, int* count,   \
                                             Jacobi*) {                                                             \
    return give_count(square_and_more(n), count);                                                                   \
  }                                                                                                                 \
  EXPORT int cusolverDn##L##evj(Handle* h, int, int, int n, void*, int, void*, void*, int, int* info, Jacobi*) {    \
    return solve(h, "sim_cusolver_" #evj, n, n, kEigenJacobiWork * n, k##L, info);                                  \
  }                                                                                                                 \
  EXPORT int cusolverDn##L##evj##Batched_bufferSize(Handle*, int, int, int n, const void*, int, const void*,        \
                                                    int* count, Jacobi*, int batch) {                               \
    return give_count(square_and_more(n) * std::max(1, batch), count);                                              \
  }                                                                                                                 \
  EXPORT int cusolverDn##L##evj##Batched(Handle* h, int, int, int n, void*, int, void*, void*, int, int* info,      \
                                         Jacobi*, int batch) {                                                      \
    return solve(h, "sim_cusolver_" #evj "_batched", n, n, kEigenJacobiWork * n, k##L, info, batch);                \
  }
SYMMETRIC(S, syevd, syevj)
SYMMETRIC(D, syevd, syevj)
SYMMETRIC(C, heevd, heevj)
SYMMETRIC(Z, heevd, heevj)

#define SINGULAR(L, l)                                                                                                \
  EXPORT int cusolverDn##L##gesvd_bufferSize(Handle*, int m, int n, int* count) {                                     \
    return give_count(svd_count(m, n), count);                                                                        \
  }                                                                                                                   \
  EXPORT int cusolverDn##L##gesvd(Handle* h, signed char, signed char, int m, int n, void*, int, void*, void*, int,   \
                                  void*, int, void*, int, void*, int* info) {                                         \
    return solve(h, "sim_cusolver_" #l "gesvd", m, n, kSvdWork * std::min(m, n), k##L, info);                         \
  }                                                                                                                   \
  EXPORT int cusolverDn##L##gesvdj_bufferSize(Handle*, int, int, int m, int n, const void*, int, const void*,         \
                                              const void*, int, const void*, int, int* count, Jacobi*) {              \
    return give_count(svd_count(m, n), count);                                                                        \
  }                                                                                                                   \
  EXPORT int cusolverDn##L##gesvdj(Handle* h, int, int, int m, int n, void*, int, void*, void*, int, void*, int,      \
                                   void*, int, int* info, Jacobi*) {                                                  \
    return solve(h, "sim_cusolver_" #l "gesvdj", m, n, kSvdJacobiWork * std::min(m, n), k##L, info);                  \
  }                                                                                                                   \
  EXPORT int cusolverDn##L##gesvdjBatched_bufferSize(Handle*, int, int m, int n, const void*, int, const void*,       \
                                                     const void*, int, const void*, int, int* count, Jacobi*,         \
                                                     int batch) {                                                     \
    return give_count(svd_count(m, n) * std::max(1, batch), count);                                                   \
  }                                                                                                                   \
  EXPORT int cusolverDn##L##gesvdjBatched(Handle* h, int, int m, int n, void*, int, void*, void*, int, void*, int,    \
                                          void*, int, int* info, Jacobi*, int batch) {                                \
    return solve(h, "sim_cusolver_" #l "gesvdj_batched", m, n, kSvdJacobiWork * std::min(m, n), k##L, info, batch);   \
  }                                                                                                                   \
  EXPORT int cusolverDn##L##gesvdaStridedBatched_bufferSize(                                                          \
      Handle*, int, int, int m, int n, const void*, int, long long, const void*, long long, const void*, int,         \
      long long, const void*, int, long long, int* count, int batch) {                                                \
    return give_count(svd_count(m, n) * std::max(1, batch), count);                                                   \
  }                                                                                                                   \
  EXPORT int cusolverDn##L##gesvdaStridedBatched(Handle* h, int, int rank, int m, int n, const void*, int, long long, \
                                                 void*, long long, void*, int, long long, void*, int, long long,      \
                                                 void*, int, int* info, double* residuals, int batch) {               \
    const char* name = "sim_cusolver_" #l "gesvda_batched";                                                           \
    return with_residuals(h, solve(h, name, m, n, kSvdWork * rank, k##L, info, batch), residuals, batch);             \
  }

namespace {

// Residuals go to host memory, so that a call which wants them waits.
int with_residuals(Handle* h, int status, double* residuals, int batch) {
  if (status != kSuccess || !residuals) return status;
  std::fill_n(residuals, std::max(0, batch), 0.0);
  return library_wait(h->stream) == cudaSuccess ? kSuccess : kExecutionFailed;
}

}  // namespace

SINGULAR(S, s)
SINGULAR(D, d)
SINGULAR(C, c)
SINGULAR(Z, z)
