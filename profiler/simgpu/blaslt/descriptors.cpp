// cuBLASLt: handle and descriptors.
#include <cuda_runtime_api.h>

#include "profiler/simgpu/blaslt/attributes.h"

using namespace zerostall::simgpu;
using namespace zerostall::simgpu::blaslt;

namespace {

constexpr int kFullFill = 2, kDefaultEpilogue = 1, kTypeOfOutput = -1;

Matmul matmul_of(int compute_type, int scale_type) {
  Matmul d;
  d.put(matmul::kComputeType, compute_type);
  d.put(matmul::kScaleType, scale_type);
  d.put(matmul::kFillMode, kFullFill);
  d.put(matmul::kEpilogue, kDefaultEpilogue);
  d.put(matmul::kAuxType, kTypeOfOutput);
  d.put(matmul::kBiasType, kTypeOfOutput);
  return d;
}

Layout layout_of(int type, std::uint64_t rows, std::uint64_t columns, std::int64_t leading) {
  Layout l;
  l.put(layout::kType, type);
  l.put(layout::kRows, rows);
  l.put(layout::kColumns, columns);
  l.put(layout::kLeading, leading);
  l.put(layout::kBatchCount, 1);
  return l;
}

Preference preference_of() {
  constexpr std::uint32_t kAnyAlignment = 256, kAllReductions = 7;
  Preference p;
  p.put(preference::kReductionMask, kAllReductions);
  for (int i = 0; i < 4; ++i) p.put(preference::kAlignmentA + i, kAnyAlignment);
  p.put(preference::kImplementationMask, ~std::uint64_t{0});
  return p;
}

}  // namespace

EXPORT int cublasLtCreate(void** handle) {
  if (!handle) return kBlasInvalidValue;
  *handle = new int{};
  return kBlasSuccess;
}
EXPORT int cublasLtDestroy(void* handle) {
  delete static_cast<int*>(handle);
  return kBlasSuccess;
}
EXPORT std::size_t cublasLtGetVersion() { return kBlasVersion; }
EXPORT std::size_t cublasLtGetCudartVersion() { return CUDART_VERSION; }
EXPORT int cublasLtGetProperty(int which, int* value) {  // libraryPropertyType: major, minor, patch level
  if (!value || which < 0 || which > 2) return kBlasInvalidValue;
  *value = which == 0 ? kBlasVersion / 10000 : which == 1 ? kBlasVersion / 100 % 100 : kBlasVersion % 100;
  return kBlasSuccess;
}

EXPORT int cublasLtMatmulDescCreate(Matmul** d, int compute_type, int scale_type) {
  if (!d) return kBlasInvalidValue;
  *d = new Matmul{matmul_of(compute_type, scale_type)};
  return kBlasSuccess;
}
EXPORT int cublasLtMatrixLayoutCreate(Layout** l, int type, std::uint64_t rows, std::uint64_t columns,
                                      std::int64_t leading) {
  if (!l) return kBlasInvalidValue;
  *l = new Layout{layout_of(type, rows, columns, leading)};
  return kBlasSuccess;
}
EXPORT int cublasLtMatmulPreferenceCreate(Preference** p) {
  if (!p) return kBlasInvalidValue;
  *p = new Preference{preference_of()};
  return kBlasSuccess;
}

#define LIFE_AND_ATTRIBUTES(Name, Type, sizes)                                                            \
  EXPORT int cublasLt##Name##Destroy(Type* d) {                                                           \
    delete d;                                                                                             \
    return kBlasSuccess;                                                                                  \
  }                                                                                                       \
  EXPORT int cublasLt##Name##SetAttribute(Type* d, int attribute, const void* value, std::size_t bytes) { \
    return set_attribute(d, sizes, attribute, value, bytes);                                              \
  }                                                                                                       \
  EXPORT int cublasLt##Name##GetAttribute(Type* d, int attribute, void* value, std::size_t bytes,         \
                                          std::size_t* written) {                                         \
    return get_attribute(d, sizes, attribute, value, bytes, written);                                     \
  }
LIFE_AND_ATTRIBUTES(MatmulDesc, Matmul, kMatmulSizes)
LIFE_AND_ATTRIBUTES(MatrixLayout, Layout, kLayoutSizes)
LIFE_AND_ATTRIBUTES(MatmulPreference, Preference, kPreferenceSizes)
