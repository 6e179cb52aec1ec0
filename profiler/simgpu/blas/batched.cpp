// Batched factorisations and solves of small matrices. They report success: zeros in the info array on the device.
#include "profiler/simgpu/blas/handle.h"
#include "profiler/simgpu/core/library.h"

using namespace zerostall::simgpu;
using namespace zerostall::simgpu::blas;

namespace {

// `info` holds one error code for each matrix of the batch, or is null.
int factorize(Handle* h, const char* name, double m, double n, double k, int batch, Scalar type, int* info) {
  if (const int status = product(h, name, m, n, k, batch, type)) return status;
  if (batch > 0) library_write_zeros(info, sizeof(int) * std::size_t(batch));
  return kBlasSuccess;
}

// An error code of the arguments, in host memory: the call itself was correct.
int arguments_correct(int* info) {
  if (info) *info = 0;
  return kBlasSuccess;
}

}  // namespace

#define FOR_EACH_TYPE(L, l)                                                                                         \
  EXPORT int cublas##L##getrfBatched(Handle* h, int n, void*, int, int*, int* info, int batch) {                    \
    return factorize(h, "sim_cublas_" #l "getrf_batched", n, n, n / 3.0, batch, k##L, info);                        \
  }                                                                                                                 \
  EXPORT int cublas##L##getriBatched(Handle* h, int n, const void*, int, const int*, void*, int, int* info,         \
                                     int batch) {                                                                   \
    return factorize(h, "sim_cublas_" #l "getri_batched", n, n, n, batch, k##L, info);                              \
  }                                                                                                                 \
  EXPORT int cublas##L##matinvBatched(Handle* h, int n, const void*, int, void*, int, int* info, int batch) {       \
    return factorize(h, "sim_cublas_" #l "matinv_batched", n, n, n, batch, k##L, info);                             \
  }                                                                                                                 \
  EXPORT int cublas##L##getrsBatched(Handle* h, int, int n, int nrhs, const void*, int, const int*, void*, int,     \
                                     int* info, int batch) {                                                        \
    if (const int status = product(h, "sim_cublas_" #l "getrs_batched", n, nrhs, n, batch, k##L)) return status;    \
    return arguments_correct(info);                                                                                 \
  }                                                                                                                 \
  EXPORT int cublas##L##geqrfBatched(Handle* h, int m, int n, void*, int, void*, int* info, int batch) {            \
    if (const int status = product(h, "sim_cublas_" #l "geqrf_batched", m, n, n, batch, k##L)) return status;       \
    return arguments_correct(info);                                                                                 \
  }                                                                                                                 \
  EXPORT int cublas##L##gelsBatched(Handle* h, int, int m, int n, int nrhs, void*, int, void*, int, int* info,      \
                                    int* device_info, int batch) {                                                  \
    if (const int status = factorize(h, "sim_cublas_" #l "gels_batched", m, n, n + nrhs, batch, k##L, device_info)) \
      return status;                                                                                                \
    return arguments_correct(info);                                                                                 \
  }
FOR_EACH_TYPE(S, s)
FOR_EACH_TYPE(D, d)
FOR_EACH_TYPE(C, c)
FOR_EACH_TYPE(Z, z)
