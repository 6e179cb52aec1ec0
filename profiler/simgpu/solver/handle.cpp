#include "profiler/simgpu/solver/handle.h"

#include <algorithm>

#include "profiler/simgpu/core/faults.h"
#include "profiler/simgpu/core/launch.h"

using namespace zerostall::simgpu;
using namespace zerostall::simgpu::solver;

namespace zerostall::simgpu::solver {

int solve(Handle* handle, const char* name, double m, double n, double k, Scalar type, int* info, double batch) {
  if (!handle) return kNotInitialized;
  if (m < 0 || n < 0 || k < 0 || batch < 0) return kInvalidValue;
  const auto one = static_cast<double>(gemm_ns(m, n, k * type.work, type.bits));
  if (library_kernel(name, static_cast<std::int64_t>(batch * one), m * n * batch, handle->stream) != cudaSuccess)
    return kExecutionFailed;
  library_write_zeros(info, sizeof(int) * static_cast<std::size_t>(batch));
  return kSuccess;
}

int give_count(double count, int* out) {
  if (!out) return kInvalidValue;
  *out = std::max(1, static_cast<int>(std::min(count, 2147483647.0)));
  return kSuccess;
}

int give_bytes(double device, double host, std::size_t* device_out, std::size_t* host_out) {
  if (!device_out || !host_out) return kInvalidValue;
  *device_out = static_cast<std::size_t>(device);
  *host_out = static_cast<std::size_t>(host);
  return kSuccess;
}

namespace {

template <class T>
int create(T** out) {
  if (!out) return kInvalidValue;
  *out = new T{};
  return kSuccess;
}

struct Params {};  // cusolverDnParams_t

}  // namespace
}  // namespace zerostall::simgpu::solver

EXPORT int cusolverDnCreate(Handle** handle) {
  const int status = zerostall::simgpu::library_fault("cusolverDnCreate", 1);  // CUSOLVER_STATUS_NOT_INITIALIZED
  return status ? status : create(handle);
}
EXPORT int cusolverDnDestroy(Handle* handle) {
  delete handle;
  return kSuccess;
}
EXPORT int cusolverDnSetStream(Handle* handle, const void* stream) {
  if (!handle) return kNotInitialized;
  handle->stream = stream;
  return kSuccess;
}
EXPORT int cusolverDnGetStream(Handle* handle, const void** stream) {
  if (!handle) return kNotInitialized;
  *stream = handle->stream;
  return kSuccess;
}
EXPORT int cusolverDnSetDeterministicMode(Handle* handle, int mode) {
  if (!handle) return kNotInitialized;
  handle->deterministic_mode = mode;
  return kSuccess;
}
EXPORT int cusolverDnGetDeterministicMode(Handle* handle, int* mode) {
  if (!handle || !mode) return kNotInitialized;
  *mode = handle->deterministic_mode;
  return kSuccess;
}
EXPORT int cusolverDnCreateParams(Params** params) { return create(params); }
EXPORT int cusolverDnDestroyParams(Params* params) {
  delete params;
  return kSuccess;
}

#define JACOBI(Name, name)                                                        \
  EXPORT int cusolverDnCreate##Name##Info(Jacobi** info) { return create(info); } \
  EXPORT int cusolverDnDestroy##Name##Info(Jacobi* info) {                        \
    delete info;                                                                  \
    return kSuccess;                                                              \
  }                                                                               \
  EXPORT int cusolverDnX##name##SetTolerance(Jacobi* info, double tolerance) {    \
    if (!info) return kInvalidValue;                                              \
    info->tolerance = tolerance;                                                  \
    return kSuccess;                                                              \
  }                                                                               \
  EXPORT int cusolverDnX##name##SetMaxSweeps(Jacobi* info, int sweeps) {          \
    if (!info) return kInvalidValue;                                              \
    info->max_sweeps = sweeps;                                                    \
    return kSuccess;                                                              \
  }                                                                               \
  EXPORT int cusolverDnX##name##SetSortEig(Jacobi* info, int sort) {              \
    if (!info) return kInvalidValue;                                              \
    info->sort = sort;                                                            \
    return kSuccess;                                                              \
  }
JACOBI(Syevj, syevj)
JACOBI(Gesvdj, gesvdj)
