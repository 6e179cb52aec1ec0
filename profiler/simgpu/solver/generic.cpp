// The generic interface: 64-bit sizes, types as arguments, workspaces on device and host in bytes.
#include <algorithm>

#include "profiler/simgpu/solver/handle.h"

using namespace zerostall::simgpu;
using namespace zerostall::simgpu::solver;

namespace {

using Size = std::int64_t;
struct Params;

constexpr double kBlock = 64;
constexpr double kHostBytes = 4096;  // descriptors of the parts that the host drives
constexpr double kEigenWork = 4.5, kGeneralEigenWork = 12.5;

int block_of(Size n, int type, std::size_t* device, std::size_t* host) {
  return give_bytes(double(n) * kBlock * scalar_of(type).bytes, 0, device, host);
}

double square_bytes(Size n, int type) { return (2.0 * double(n) * double(n) + 64) * scalar_of(type).bytes; }

int solve_sized(Handle* h, const char* name, Size m, Size n, double k, int type, int* info, Size batch = 1) {
  return solve(h, name, double(m), double(n), k, scalar_of(type), info, double(batch));
}

}  // namespace

EXPORT int cusolverDnXgetrf_bufferSize(Handle*, Params*, Size m, Size, int type, const void*, Size, int,
                                       std::size_t* device, std::size_t* host) {
  return block_of(m, type, device, host);
}
EXPORT int cusolverDnXgetrf(Handle* h, Params*, Size m, Size n, int type, void*, Size, Size*, int, void*, std::size_t,
                            void*, std::size_t, int* info) {
  return solve_sized(h, "sim_cusolver_xgetrf", m, n, double(std::min(m, n)) / 3, type, info);
}
EXPORT int cusolverDnXgetrs(Handle* h, Params*, int, Size n, Size nrhs, int type, const void*, Size, const Size*, int,
                            void*, Size, int* info) {
  return solve_sized(h, "sim_cusolver_xgetrs", n, nrhs, double(n), type, info);
}
EXPORT int cusolverDnXpotrf_bufferSize(Handle*, Params*, int, Size n, int type, const void*, Size, int,
                                       std::size_t* device, std::size_t* host) {
  return block_of(n, type, device, host);
}
EXPORT int cusolverDnXpotrf(Handle* h, Params*, int, Size n, int type, void*, Size, int, void*, std::size_t, void*,
                            std::size_t, int* info) {
  return solve_sized(h, "sim_cusolver_xpotrf", n, n, double(n) / 6, type, info);
}
EXPORT int cusolverDnXpotrs(Handle* h, Params*, int, Size n, Size nrhs, int type, const void*, Size, int, void*, Size,
                            int* info) {
  return solve_sized(h, "sim_cusolver_xpotrs", n, nrhs, double(n), type, info);
}
EXPORT int cusolverDnXgeqrf_bufferSize(Handle*, Params*, Size, Size n, int type, const void*, Size, int, const void*,
                                       int, std::size_t* device, std::size_t* host) {
  return block_of(n, type, device, host);
}
EXPORT int cusolverDnXgeqrf(Handle* h, Params*, Size m, Size n, int type, void*, Size, int, void*, int, void*,
                            std::size_t, void*, std::size_t, int* info) {
  return solve_sized(h, "sim_cusolver_xgeqrf", m, n, double(std::min(m, n)), type, info);
}
EXPORT int cusolverDnXsytrs_bufferSize(Handle*, int, Size n, Size, int type, const void*, Size, const Size*, int, void*,
                                       Size, std::size_t* device, std::size_t* host) {
  return block_of(n, type, device, host);
}
EXPORT int cusolverDnXsytrs(Handle* h, int, Size n, Size nrhs, int type, const void*, Size, const Size*, int, void*,
                            Size, void*, std::size_t, void*, std::size_t, int* info) {
  return solve_sized(h, "sim_cusolver_xsytrs", n, nrhs, double(n), type, info);
}

EXPORT int cusolverDnXsyevd_bufferSize(Handle*, Params*, int, int, Size n, int type, const void*, Size, int,
                                       const void*, int, std::size_t* device, std::size_t* host) {
  return give_bytes(square_bytes(n, type), kHostBytes, device, host);
}
EXPORT int cusolverDnXsyevd(Handle* h, Params*, int, int, Size n, int type, void*, Size, int, void*, int, void*,
                            std::size_t, void*, std::size_t, int* info) {
  return solve_sized(h, "sim_cusolver_xsyevd", n, n, kEigenWork * double(n), type, info);
}
EXPORT int cusolverDnXsyevBatched_bufferSize(Handle*, Params*, int, int, Size n, int type, const void*, Size, int,
                                             const void*, int, std::size_t* device, std::size_t* host, Size batch) {
  return give_bytes(square_bytes(n, type) * double(batch), kHostBytes, device, host);
}
EXPORT int cusolverDnXsyevBatched(Handle* h, Params*, int, int, Size n, int type, void*, Size, int, void*, int, void*,
                                  std::size_t, void*, std::size_t, int* info, Size batch) {
  return solve_sized(h, "sim_cusolver_xsyev_batched", n, n, kEigenWork * double(n), type, info, batch);
}

EXPORT int cusolverDnXgeev_bufferSize(Handle*, Params*, int, int, Size n, int type, const void*, Size, int, const void*,
                                      int, const void*, Size, int, const void*, Size, int, std::size_t* device,
                                      std::size_t* host) {
  return give_bytes(square_bytes(n, type), square_bytes(n, type), device, host);
}
// Documented as a hybrid of CPU and GPU: the host takes part, so the call returns when the work is done.
EXPORT int cusolverDnXgeev(Handle* h, Params*, int, int, Size n, int type, void*, Size, int, void*, int, void*, Size,
                           int, void*, Size, int, void*, std::size_t, void*, std::size_t, int* info) {
  const int status = solve_sized(h, "sim_cusolver_xgeev", n, n, kGeneralEigenWork * double(n), type, info);
  if (status != kSuccess) return status;
  return library_wait(h->stream) == cudaSuccess ? kSuccess : kExecutionFailed;
}
