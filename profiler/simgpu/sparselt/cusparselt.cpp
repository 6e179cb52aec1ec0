// cuSPARSELt: products with 2:4 structured matrices. Its handles and descriptors are opaque structures in the caller's
// memory, of at least 512 bytes; ours lie at their beginning. Declared from NVIDIA's public documentation.
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "profiler/simgpu/core/launch.h"
#include "profiler/simgpu/core/library.h"
#include "profiler/simgpu/core/product.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

using namespace zerostall::simgpu;

namespace {

// cusparseStatus_t
constexpr int kSuccess = 0, kNotInitialized = 1, kInvalidValue = 3, kExecutionFailed = 6;
constexpr int kVersion = 800;
constexpr std::uint64_t kMark = 0x746c657a73ULL;  // tells an initialised structure from stale memory
constexpr double kSpeedup = 1.6;                  // assumption: sparse tensor cores, of 2 at most

struct Handle {
  std::uint64_t mark;
};
struct Matrix {
  std::uint64_t mark;
  std::int64_t rows, columns, leading;
  int type, order, structured;
};
struct Product {
  std::uint64_t mark;
  int transpose_a, transpose_b;
  Matrix a, b, d;
  std::uint64_t settings[32];  // by cusparseLtMatmulDescAttribute_t; up to 8 bytes each
};
struct Selection {
  std::uint64_t mark;
  std::uint64_t settings[16];  // by cusparseLtMatmulAlgAttribute_t
};
struct Plan {
  std::uint64_t mark;
  Product product;
  Selection* selection;
};
// As large as the smallest of the caller's structures.
static_assert(sizeof(Plan) <= 512 && sizeof(Product) <= 512 && sizeof(Selection) <= 512 && sizeof(Matrix) <= 512);

constexpr int kConfigId = 0, kMaxId = 1, kSearchIterations = 2, kSplitK = 3, kSplitKMode = 4, kSplitKBuffers = 5;
constexpr std::uint64_t kAlgorithms = 4;

template <class T>
bool initialised(const T* t) {
  return t && t->mark == kMark;
}

constexpr std::size_t kSettingBytes = sizeof(int);  // all attributes of a selection

// Half of the values, and two bits for each value kept to say where it was.
double compressed_values(const Matrix& m) { return double(m.rows) * double(m.columns) / 2 * type_bits(m.type) / 8; }
double compressed_positions(const Matrix& m) { return double(m.rows) * double(m.columns) / 2 / 4; }

int launch_product(const Plan& plan, const void* stream) {
  const Product& p = plan.product;
  const std::int64_t k = p.transpose_a ? p.a.rows : p.a.columns;
  const std::int64_t dense = gemm_ns(double(p.d.rows), double(p.d.columns), double(k), type_bits(p.a.type));
  const auto ns = static_cast<std::int64_t>(double(dense) / kSpeedup);
  const double threads = double(p.d.rows) * double(p.d.columns);
  return library_kernel("sim_cusparselt_matmul", ns, threads, stream) == cudaSuccess ? kSuccess : kExecutionFailed;
}

int init_matrix(const Handle* h, Matrix* m, std::int64_t rows, std::int64_t columns, std::int64_t leading, int type,
                int order, int structured) {
  if (!initialised(h)) return kNotInitialized;
  if (!m || rows < 1 || columns < 1) return kInvalidValue;
  *m = {kMark, rows, columns, leading, type, order, structured};
  return kSuccess;
}

}  // namespace

EXPORT int cusparseLtInit(Handle* h) {
  if (!h) return kInvalidValue;
  h->mark = kMark;
  return kSuccess;
}
EXPORT int cusparseLtDestroy(const Handle* h) { return initialised(h) ? kSuccess : kNotInitialized; }
EXPORT int cusparseLtGetVersion(const Handle*, int* version) {
  if (!version) return kInvalidValue;
  *version = kVersion;
  return kSuccess;
}

EXPORT int cusparseLtDenseDescriptorInit(const Handle* h, Matrix* m, std::int64_t rows, std::int64_t columns,
                                         std::int64_t leading, std::uint32_t, int type, int order) {
  return init_matrix(h, m, rows, columns, leading, type, order, 0);
}
EXPORT int cusparseLtStructuredDescriptorInit(const Handle* h, Matrix* m, std::int64_t rows, std::int64_t columns,
                                              std::int64_t leading, std::uint32_t, int type, int order, int) {
  return init_matrix(h, m, rows, columns, leading, type, order, 1);
}
EXPORT int cusparseLtMatDescriptorDestroy(const Matrix* m) { return initialised(m) ? kSuccess : kInvalidValue; }

EXPORT int cusparseLtMatmulDescriptorInit(const Handle* h, Product* p, int transpose_a, int transpose_b,
                                          const Matrix* a, const Matrix* b, const Matrix* c, const Matrix* d, int) {
  if (!initialised(h)) return kNotInitialized;
  if (!p || !initialised(a) || !initialised(b) || !initialised(c) || !initialised(d)) return kInvalidValue;
  *p = {kMark, transpose_a, transpose_b, *a, *b, *d, {}};
  return kSuccess;
}
EXPORT int cusparseLtMatmulDescSetAttribute(const Handle* h, Product* p, int attribute, const void* data,
                                            std::size_t bytes) {
  if (!initialised(h)) return kNotInitialized;
  if (!initialised(p) || !data || attribute < 0 || attribute >= 32 || bytes > 8) return kInvalidValue;
  std::memcpy(&p->settings[attribute], data, bytes);
  return kSuccess;
}
EXPORT int cusparseLtMatmulAlgSelectionInit(const Handle* h, Selection* s, const Product* p, int) {
  if (!initialised(h)) return kNotInitialized;
  if (!s || !initialised(p)) return kInvalidValue;
  *s = {kMark, {}};
  s->settings[kMaxId] = kAlgorithms;
  s->settings[kSearchIterations] = 10;
  s->settings[kSplitK] = 1;
  return kSuccess;
}
EXPORT int cusparseLtMatmulAlgSetAttribute(const Handle* h, Selection* s, int attribute, const void* data,
                                           std::size_t bytes) {
  if (!initialised(h)) return kNotInitialized;
  if (!initialised(s) || !data || attribute < 0 || attribute > kSplitKBuffers || attribute == kMaxId)
    return kInvalidValue;
  if (bytes != kSettingBytes) return kInvalidValue;
  std::memcpy(&s->settings[attribute], data, bytes);
  return s->settings[kConfigId] < kAlgorithms ? kSuccess : kInvalidValue;
}
EXPORT int cusparseLtMatmulAlgGetAttribute(const Handle* h, const Selection* s, int attribute, void* data,
                                           std::size_t bytes) {
  if (!initialised(h)) return kNotInitialized;
  if (!initialised(s) || !data || attribute < 0 || attribute > kSplitKBuffers) return kInvalidValue;
  if (bytes != kSettingBytes) return kInvalidValue;
  std::memcpy(data, &s->settings[attribute], bytes);
  return kSuccess;
}

EXPORT int cusparseLtMatmulPlanInit(const Handle* h, Plan* plan, const Product* p, const Selection* s) {
  if (!initialised(h)) return kNotInitialized;
  if (!plan || !initialised(p) || !initialised(s)) return kInvalidValue;
  *plan = {kMark, *p, const_cast<Selection*>(s)};
  return kSuccess;
}
EXPORT int cusparseLtMatmulPlanDestroy(const Plan* plan) { return initialised(plan) ? kSuccess : kInvalidValue; }
EXPORT int cusparseLtMatmulGetWorkspace(const Handle* h, const Plan* plan, std::size_t* bytes) {
  if (!initialised(h)) return kNotInitialized;
  if (!initialised(plan) || !bytes) return kInvalidValue;
  *bytes = 0;
  return kSuccess;
}
EXPORT int cusparseLtMatmul(const Handle* h, const Plan* plan, const void*, const void*, const void*, const void*,
                            const void*, void*, void*, void** streams, std::int32_t stream_count) {
  if (!initialised(h)) return kNotInitialized;
  if (!initialised(plan)) return kInvalidValue;
  return launch_product(*plan, stream_count > 0 && streams ? streams[0] : nullptr);
}
// Runs every algorithm as often as asked for, and waits: it measures. All are alike here, so the first one is best.
EXPORT int cusparseLtMatmulSearch(const Handle* h, Plan* plan, const void*, const void*, const void*, const void*,
                                  const void*, void*, void*, void** streams, std::int32_t stream_count) {
  if (!initialised(h)) return kNotInitialized;
  if (!initialised(plan) || !initialised(plan->selection)) return kInvalidValue;
  const void* stream = stream_count > 0 && streams ? streams[0] : nullptr;
  for (std::uint64_t i = 0; i < kAlgorithms; ++i) {
    if (const int status = launch_product(*plan, stream)) return status;
    library_wait(stream);
  }
  plan->selection->settings[kConfigId] = 0;
  return kSuccess;
}

EXPORT int cusparseLtSpMMACompressedSize2(const Handle* h, const Matrix* m, std::size_t* bytes, std::size_t* buffer) {
  if (!initialised(h)) return kNotInitialized;
  if (!initialised(m) || !bytes || !buffer) return kInvalidValue;
  *bytes = static_cast<std::size_t>(compressed_values(*m) + compressed_positions(*m));
  *buffer = static_cast<std::size_t>(compressed_positions(*m));
  return kSuccess;
}
EXPORT int cusparseLtSpMMACompress2(const Handle* h, const Matrix* m, int, int, const void*, void*, void*,
                                    const void* stream) {
  if (!initialised(h)) return kNotInitialized;
  if (!initialised(m)) return kInvalidValue;
  const double bytes = 3 * compressed_values(*m) + compressed_positions(*m);
  return library_kernel_by_bytes("sim_cusparselt_compress", bytes, stream) == cudaSuccess ? kSuccess : kExecutionFailed;
}
