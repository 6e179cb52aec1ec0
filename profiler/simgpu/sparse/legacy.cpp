// The older interface, by letter of the number type: block matrices, sums, and conversions of indices.
#include <algorithm>

#include "profiler/simgpu/sparse/types.h"

using namespace zerostall::simgpu;
using namespace zerostall::simgpu::sparse;

namespace {

constexpr int kHostPointers = 0, kNoPivot = -1;

struct Analysis {  // bsrsv2Info_t, bsrsm2Info_t
  bool analysed = false;
};

double block_bytes(int nonzero_blocks, int block, Scalar type) {
  return double(nonzero_blocks) * (double(block) * block * type.bytes + sizeof(int));
}

int give_size(double bytes, std::size_t* out) {
  if (!out) return kInvalidValue;
  *out = static_cast<std::size_t>(bytes);
  return kSuccess;
}
int give_size(double bytes, int* out) {
  if (!out) return kInvalidValue;
  *out = std::max(1, static_cast<int>(std::min(bytes, 2147483647.0)));
  return kSuccess;
}

int analyse(Handle* h, const char* name, double bytes, Analysis* info) {
  if (!info) return kInvalidValue;
  info->analysed = true;
  return kernel(h, name, bytes);
}
int solve(Handle* h, const char* name, double bytes, const Analysis* info) {
  return info && info->analysed ? kernel(h, name, bytes) : kInvalidValue;
}

// Documented to wait for the device, and to give -1 if there is no zero on the diagonal.
int zero_pivot(Handle* h, Analysis* info, int* position) {
  if (!h) return kNotInitialized;
  if (!info || !position) return kInvalidValue;
  library_wait_device();
  library_write(position, &kNoPivot, sizeof kNoPivot);
  return kSuccess;
}

}  // namespace

EXPORT int cusparseCreateBsrsv2Info(Analysis** info) { return create(info); }
EXPORT int cusparseDestroyBsrsv2Info(Analysis* info) {
  delete info;
  return kSuccess;
}
EXPORT int cusparseCreateBsrsm2Info(Analysis** info) { return create(info); }
EXPORT int cusparseDestroyBsrsm2Info(Analysis* info) {
  delete info;
  return kSuccess;
}
EXPORT int cusparseXbsrsv2_zeroPivot(Handle* h, Analysis* info, int* position) { return zero_pivot(h, info, position); }
EXPORT int cusparseXbsrsm2_zeroPivot(Handle* h, Analysis* info, int* position) { return zero_pivot(h, info, position); }

#define FOR_EACH_TYPE(L, l)                                                                                            \
  EXPORT int cusparse##L##bsrmv(Handle* h, int, int, int mb, int nb, int nnzb, const void*, const Legacy*,             \
                                const void*, const int*, const int*, int block, const void*, const void*, void*) {     \
    const double vectors = (double(mb) * 2 + nb) * block * k##L.bytes;                                                 \
    return kernel(h, "sim_cusparse_" #l "bsrmv", block_bytes(nnzb, block, k##L) + vectors);                            \
  }                                                                                                                    \
  EXPORT int cusparse##L##bsrmm(Handle* h, int, int, int, int mb, int n, int kb, int nnzb, const void*, const Legacy*, \
                                const void*, const int*, const int*, int block, const void*, int, const void*, void*,  \
                                int) {                                                                                 \
    const double dense = (double(mb) * 2 + kb) * block * n * k##L.bytes;                                               \
    return kernel(h, "sim_cusparse_" #l "bsrmm", block_bytes(nnzb, block, k##L) + dense);                              \
  }                                                                                                                    \
  EXPORT int cusparse##L##bsrsv2_bufferSize(Handle*, int, int, int mb, int nnzb, const Legacy*, void*, const int*,     \
                                            const int*, int, Analysis*, int* size) {                                   \
    return give_size((double(mb) + nnzb) * 8, size);                                                                   \
  }                                                                                                                    \
  EXPORT int cusparse##L##bsrsv2_analysis(Handle* h, int, int, int, int nnzb, const Legacy*, const void*, const int*,  \
                                          const int*, int block, Analysis* info, int, void*) {                         \
    return analyse(h, "sim_cusparse_" #l "bsrsv2_analysis", block_bytes(nnzb, block, k##L), info);                     \
  }                                                                                                                    \
  EXPORT int cusparse##L##bsrsv2_solve(Handle* h, int, int, int mb, int nnzb, const void*, const Legacy*, const void*, \
                                       const int*, const int*, int block, Analysis* info, const void*, void*, int,     \
                                       void*) {                                                                        \
    const double vectors = 2.0 * mb * block * k##L.bytes;                                                              \
    return solve(h, "sim_cusparse_" #l "bsrsv2_solve", block_bytes(nnzb, block, k##L) + vectors, info);                \
  }                                                                                                                    \
  EXPORT int cusparse##L##bsrsm2_bufferSize(Handle*, int, int, int, int mb, int, int nnzb, const Legacy*, void*,       \
                                            const int*, const int*, int, Analysis*, int* size) {                       \
    return give_size((double(mb) + nnzb) * 8, size);                                                                   \
  }                                                                                                                    \
  EXPORT int cusparse##L##bsrsm2_analysis(Handle* h, int, int, int, int, int, int nnzb, const Legacy*, const void*,    \
                                          const int*, const int*, int block, Analysis* info, int, void*) {             \
    return analyse(h, "sim_cusparse_" #l "bsrsm2_analysis", block_bytes(nnzb, block, k##L), info);                     \
  }                                                                                                                    \
  EXPORT int cusparse##L##bsrsm2_solve(Handle* h, int, int, int, int mb, int n, int nnzb, const void*, const Legacy*,  \
                                       const void*, const int*, const int*, int block, Analysis* info, const void*,    \
                                       int, void*, int, int, void*) {                                                  \
    const double dense = 2.0 * mb * block * n * k##L.bytes;                                                            \
    return solve(h, "sim_cusparse_" #l "bsrsm2_solve", block_bytes(nnzb, block, k##L) + dense, info);                  \
  }                                                                                                                    \
  EXPORT int cusparse##L##csrgeam2_bufferSizeExt(Handle*, int m, int, const void*, const Legacy*, int, const void*,    \
                                                 const int*, const int*, const void*, const Legacy*, int, const void*, \
                                                 const int*, const int*, const Legacy*, const void*, const int*,       \
                                                 const int*, std::size_t* size) {                                      \
    return give_size((double(m) + 1) * sizeof(int), size);                                                             \
  }                                                                                                                    \
  EXPORT int cusparse##L##csrgeam2(Handle* h, int m, int, const void*, const Legacy*, int nnz_a, const void*,          \
                                   const int*, const int*, const void*, const Legacy*, int nnz_b, const void*,         \
                                   const int*, const int*, const Legacy*, void*, int*, int*, void*) {                  \
    const double entries = 2 * (double(nnz_a) + nnz_b), rows = 3.0 * m;                                                \
    return kernel(h, "sim_cusparse_" #l "csrgeam2", entries * (k##L.bytes + sizeof(int)) + rows * sizeof(int));        \
  }
FOR_EACH_TYPE(S, s)
FOR_EACH_TYPE(D, d)
FOR_EACH_TYPE(C, c)
FOR_EACH_TYPE(Z, z)

// How many entries a sum has is known on a GPU only. Here: as if no place were taken in both operands. A total in host
// memory makes the host wait.
EXPORT int cusparseXcsrgeam2Nnz(Handle* h, int m, int n, const Legacy*, int nnz_a, const int*, const int*,
                                const Legacy*, int nnz_b, const int*, const int*, const Legacy*, int*, int* total,
                                void*) {
  const double entries = double(nnz_a) + nnz_b;
  if (const int status = kernel(h, "sim_cusparse_csrgeam2_nnz", entries * sizeof(int))) return status;
  const int count = static_cast<int>(std::min(entries, double(m) * n));
  library_write(total, &count, sizeof count);
  if (h->pointer_mode != kHostPointers) return kSuccess;
  return library_wait(h->stream) == cudaSuccess ? kSuccess : kExecutionFailed;
}

EXPORT int cusparseXcoo2csr(Handle* h, const int*, int nnz, int m, int*, int) {
  return kernel(h, "sim_cusparse_coo2csr", (double(nnz) + m) * sizeof(int));
}
EXPORT int cusparseXcsr2coo(Handle* h, const int*, int nnz, int m, int*, int) {
  return kernel(h, "sim_cusparse_csr2coo", (double(nnz) + m) * sizeof(int));
}
EXPORT int cusparseCreateIdentityPermutation(Handle* h, int n, int*) {
  return kernel(h, "sim_cusparse_identity_permutation", double(n) * sizeof(int));
}
EXPORT int cusparseXcoosort_bufferSizeExt(Handle*, int, int, int nnz, const int*, const int*, std::size_t* size) {
  return give_size(double(nnz) * 16, size);
}
EXPORT int cusparseXcoosortByRow(Handle* h, int, int, int nnz, int*, int*, int*, void*) {
  return kernel(h, "sim_cusparse_coosort", double(nnz) * 3 * 2 * sizeof(int));
}
EXPORT int cusparseXcsrsort_bufferSizeExt(Handle*, int, int, int nnz, const int*, const int*, std::size_t* size) {
  return give_size(double(nnz) * 16, size);
}
EXPORT int cusparseXcsrsort(Handle* h, int m, int, int nnz, const Legacy*, const int*, int*, int*, void*) {
  return kernel(h, "sim_cusparse_csrsort", (double(nnz) * 2 * 2 + m) * sizeof(int));
}
