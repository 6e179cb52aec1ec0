// Factorisations that solve linear systems: LU, Cholesky, LDL, QR. Operation counts are those of the textbook
// algorithms; workspaces hold a block of 64 columns.
#include "profiler/simgpu/solver/handle.h"

using namespace zerostall::simgpu;
using namespace zerostall::simgpu::solver;

namespace {
constexpr double kBlock = 64;
}

#define LU_AND_CHOLESKY(L, l)                                                                                 \
  EXPORT int cusolverDn##L##getrf_bufferSize(Handle*, int m, int n, void*, int, int* count) {                 \
    return give_count(double(m) * kBlock + n, count);                                                         \
  }                                                                                                           \
  EXPORT int cusolverDn##L##getrf(Handle* h, int m, int n, void*, int, void*, int*, int* info) {              \
    return solve(h, "sim_cusolver_" #l "getrf", m, n, (m < n ? m : n) / 3.0, k##L, info);                     \
  }                                                                                                           \
  EXPORT int cusolverDn##L##getrs(Handle* h, int, int n, int nrhs, const void*, int, const int*, void*, int,  \
                                  int* info) {                                                                \
    return solve(h, "sim_cusolver_" #l "getrs", n, nrhs, n, k##L, info);                                      \
  }                                                                                                           \
  EXPORT int cusolverDn##L##potrf_bufferSize(Handle*, int, int n, void*, int, int* count) {                   \
    return give_count(double(n) * kBlock, count);                                                             \
  }                                                                                                           \
  EXPORT int cusolverDn##L##potrf(Handle* h, int, int n, void*, int, void*, int, int* info) {                 \
    return solve(h, "sim_cusolver_" #l "potrf", n, n, n / 6.0, k##L, info);                                   \
  }                                                                                                           \
  EXPORT int cusolverDn##L##potrs(Handle* h, int, int n, int nrhs, const void*, int, void*, int, int* info) { \
    return solve(h, "sim_cusolver_" #l "potrs", n, nrhs, n, k##L, info);                                      \
  }                                                                                                           \
  EXPORT int cusolverDn##L##potrfBatched(Handle* h, int, int n, void*, int, int* info, int batch) {           \
    return solve(h, "sim_cusolver_" #l "potrf_batched", n, n, n / 6.0, k##L, info, batch);                    \
  }                                                                                                           \
  /* Here `info` is one code: it reports wrong arguments only. */                                             \
  EXPORT int cusolverDn##L##potrsBatched(Handle* h, int, int n, int nrhs, void*, int, void*, int, int* info,  \
                                         int batch) {                                                         \
    const int status = solve(h, "sim_cusolver_" #l "potrs_batched", n, nrhs, n, k##L, nullptr, batch);        \
    if (status == kSuccess) library_write_zeros(info, sizeof *info);                                          \
    return status;                                                                                            \
  }                                                                                                           \
  EXPORT int cusolverDn##L##sytrf_bufferSize(Handle*, int n, void*, int, int* count) {                        \
    return give_count(double(n) * kBlock, count);                                                             \
  }                                                                                                           \
  EXPORT int cusolverDn##L##sytrf(Handle* h, int, int n, void*, int, int*, void*, int, int* info) {           \
    return solve(h, "sim_cusolver_" #l "sytrf", n, n, n / 6.0, k##L, info);                                   \
  }                                                                                                           \
  EXPORT int cusolverDn##L##geqrf_bufferSize(Handle*, int, int n, void*, int, int* count) {                   \
    return give_count(double(n) * kBlock, count);                                                             \
  }                                                                                                           \
  EXPORT int cusolverDn##L##geqrf(Handle* h, int m, int n, void*, int, void*, void*, int, int* info) {        \
    return solve(h, "sim_cusolver_" #l "geqrf", m, n, m < n ? m : n, k##L, info);                             \
  }
LU_AND_CHOLESKY(S, s)
LU_AND_CHOLESKY(D, d)
LU_AND_CHOLESKY(C, c)
LU_AND_CHOLESKY(Z, z)

// Q of a QR factorisation, made explicit and multiplied: orthogonal for real, unitary for complex numbers.
#define Q_OF_QR(L, gqr, mqr)                                                                                           \
  EXPORT int cusolverDn##L##gqr##_bufferSize(Handle*, int, int n, int, const void*, int, const void*, int* count) {    \
    return give_count(double(n) * kBlock, count);                                                                      \
  }                                                                                                                    \
  EXPORT int cusolverDn##L##gqr(Handle* h, int m, int n, int k, void*, int, const void*, void*, int, int* info) {      \
    return solve(h, "sim_cusolver_" #gqr, m, n, k, k##L, info);                                                        \
  }                                                                                                                    \
  EXPORT int cusolverDn##L##mqr##_bufferSize(Handle*, int side, int, int m, int n, int, const void*, int, const void*, \
                                             const void*, int, int* count) {                                           \
    return give_count((side == 0 ? double(n) : double(m)) * kBlock, count);                                            \
  }                                                                                                                    \
  EXPORT int cusolverDn##L##mqr(Handle* h, int, int, int m, int n, int k, const void*, int, const void*, void*, int,   \
                                void*, int, int* info) {                                                               \
    return solve(h, "sim_cusolver_" #mqr, m, n, 2.0 * k, k##L, info);                                                  \
  }
Q_OF_QR(S, orgqr, ormqr)
Q_OF_QR(D, orgqr, ormqr)
Q_OF_QR(C, ungqr, unmqr)
Q_OF_QR(Z, ungqr, unmqr)
