// cuBLASLt: descriptors and the product. A layout's dimensions are kept, since they decide how long a product takes.
// Types as in the public documentation of cuBLASLt.
#include <cstdint>
#include <cstring>

#include "profiler/simgpu/core/product.h"
#include "profiler/simgpu/core/launch.h"

using namespace zerostall::simgpu;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

struct MatmulDescription {
  int compute_type, scale_type;
  int transpose_a;
};
struct Layout {
  int type;
  std::uint64_t rows, columns;
  std::int64_t leading;
  int batch;
};
struct Preference {
  int unused;
};
constexpr int kTransposeA = 3;  // CUBLASLT_MATMUL_DESC_TRANSA
constexpr int kBatchCount = 5;  // CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT

// cublasLtMatmulHeuristicResult_t
struct HeuristicResult {
  std::uint64_t algorithm[8];
  std::size_t workspace_bytes;
  int state;
  float waves;
  int reserved[4];
};

}  // namespace

EXPORT int cublasLtCreate(void** handle) {
  *handle = new char[64]{};
  return kBlasSuccess;
}
EXPORT int cublasLtDestroy(void* handle) {
  delete[] static_cast<char*>(handle);
  return kBlasSuccess;
}
EXPORT std::size_t cublasLtGetVersion() { return kBlasVersion; }
EXPORT std::size_t cublasLtGetCudartVersion() { return 13000; }

EXPORT int cublasLtMatmulDescCreate(MatmulDescription** d, int compute_type, int scale_type) {
  *d = new MatmulDescription{compute_type, scale_type, 0};
  return kBlasSuccess;
}
EXPORT int cublasLtMatmulDescDestroy(MatmulDescription* d) {
  delete d;
  return kBlasSuccess;
}
EXPORT int cublasLtMatmulDescSetAttribute(MatmulDescription* d, int attribute, const void* value, std::size_t bytes) {
  if (attribute == kTransposeA && bytes == sizeof(int)) std::memcpy(&d->transpose_a, value, bytes);
  return kBlasSuccess;
}
EXPORT int cublasLtMatrixLayoutCreate(Layout** l, int type, std::uint64_t rows, std::uint64_t columns,
                                      std::int64_t leading) {
  *l = new Layout{type, rows, columns, leading, 1};
  return kBlasSuccess;
}
EXPORT int cublasLtMatrixLayoutDestroy(Layout* l) {
  delete l;
  return kBlasSuccess;
}
EXPORT int cublasLtMatrixLayoutSetAttribute(Layout* l, int attribute, const void* value, std::size_t bytes) {
  if (attribute == kBatchCount && bytes == sizeof(int)) std::memcpy(&l->batch, value, bytes);
  return kBlasSuccess;
}
EXPORT int cublasLtMatmulPreferenceCreate(Preference** p) {
  *p = new Preference{};
  return kBlasSuccess;
}
EXPORT int cublasLtMatmulPreferenceDestroy(Preference* p) {
  delete p;
  return kBlasSuccess;
}
EXPORT int cublasLtMatmulPreferenceSetAttribute(Preference*, int, const void*, std::size_t) { return kBlasSuccess; }

EXPORT int cublasLtMatmulAlgoGetHeuristic(void*, MatmulDescription*, Layout*, Layout*, Layout*, Layout*, Preference*,
                                          int wanted, HeuristicResult* results, int* found) {
  *found = wanted > 0 ? 1 : 0;
  if (wanted > 0) std::memset(results, 0, sizeof *results);
  return kBlasSuccess;
}
EXPORT int cublasLtMatmul(void*, MatmulDescription* d, const void*, const void*, Layout* a, const void*, Layout*,
                          const void*, const void*, Layout*, void*, Layout* out, const void*, void*, std::size_t,
                          const void* stream) {
  const auto k = static_cast<double>(d->transpose_a ? a->rows : a->columns);
  return blas_launch("sim_cublasLt_matmul", static_cast<double>(out->rows), static_cast<double>(out->columns), k,
                     out->batch > 0 ? out->batch : 1, type_bits(a->type), stream);
}
