// cuBLASLt's product: which algorithm there is (one), and the launch.
#include <library_types.h>

#include "profiler/simgpu/blaslt/attributes.h"
#include "profiler/simgpu/core/library.h"
#include "profiler/simgpu/core/simulator.h"

using namespace zerostall::simgpu;
using namespace zerostall::simgpu::blaslt;

namespace {

struct Algorithm {  // cublasLtMatmulAlgo_t
  std::uint64_t data[8];
};

struct HeuristicResult {  // cublasLtMatmulHeuristicResult_t
  Algorithm algorithm;
  std::size_t workspace_bytes;
  int state;
  float waves;
  int reserved[4];
};

constexpr std::uint64_t kOurAlgorithm = 1;

struct Dimensions {
  double m, n, k, batch;
};

// False when the layouts do not fit each other.
bool dimensions(const Matmul& d, const Layout& a, const Layout& b, const Layout& out, Dimensions& result) {
  const bool ta = d.get<int>(matmul::kTransposeA) != 0, tb = d.get<int>(matmul::kTransposeB) != 0;
  const auto rows = [](const Layout& l, bool t) { return l.get<std::uint64_t>(t ? layout::kColumns : layout::kRows); };
  const std::uint64_t m = rows(a, ta), k = rows(a, !ta), n = rows(b, !tb);
  if (rows(b, tb) != k || rows(out, false) != m || rows(out, true) != n) return false;
  const int batch = out.get<int>(layout::kBatchCount);
  result = {double(m), double(n), double(k), batch > 0 ? double(batch) : 1};
  return true;
}

// Documented for devices before Blackwell: 8-bit floating point products want A transposed and B not.
bool supported(const Matmul& d, const Layout& a) {
  const int type = a.get<int>(layout::kType);
  if (type != CUDA_R_8F_E4M3 && type != CUDA_R_8F_E5M2) return true;
  if (simulator().model.compute_major >= 10) return true;
  return d.get<int>(matmul::kTransposeA) != 0 && d.get<int>(matmul::kTransposeB) == 0;
}

}  // namespace

namespace {

// Settings of an algorithm, by cublasLtMatmulAlgoConfigAttributes_t: four bytes each, the shapes (7, 8) two.
constexpr int kConfigId = 0, kFirstShape = 7, kConfigs = 9;
std::size_t config_bytes(int attribute) { return attribute >= kFirstShape ? 2 : 4; }
char* config(Algorithm* algorithm, int attribute) {
  return reinterpret_cast<char*>(algorithm->data) + std::size_t(attribute) * 4;
}

}  // namespace

EXPORT int cublasLtMatmulAlgoInit(void* handle, int, int, int, int, int, int, int id, Algorithm* algorithm) {
  if (!handle) return kBlasNotInitialized;
  if (!algorithm || id != static_cast<int>(kOurAlgorithm)) return kBlasInvalidValue;
  *algorithm = {};
  algorithm->data[0] = kOurAlgorithm;
  return kBlasSuccess;
}
EXPORT int cublasLtMatmulAlgoConfigSetAttribute(Algorithm* algorithm, int attribute, const void* value,
                                                std::size_t bytes) {
  if (!algorithm || !value || attribute <= kConfigId || attribute >= kConfigs) return kBlasInvalidValue;
  if (bytes != config_bytes(attribute)) return kBlasInvalidValue;
  std::memcpy(config(algorithm, attribute), value, bytes);
  return kBlasSuccess;
}
EXPORT int cublasLtMatmulAlgoConfigGetAttribute(const Algorithm* algorithm, int attribute, void* value,
                                                std::size_t bytes, std::size_t* written) {
  if (!algorithm || attribute < kConfigId || attribute >= kConfigs) return kBlasInvalidValue;
  if (written) *written = config_bytes(attribute);
  if (bytes == 0 && written) return kBlasSuccess;
  if (!value || bytes != config_bytes(attribute)) return kBlasInvalidValue;
  std::memcpy(value, config(const_cast<Algorithm*>(algorithm), attribute), bytes);
  return kBlasSuccess;
}
EXPORT int cublasLtMatmulAlgoCheck(void* handle, Matmul* d, Layout* a, Layout* b, Layout*, Layout* out,
                                   const Algorithm* algorithm, HeuristicResult* result) {
  if (!handle) return kBlasNotInitialized;
  Dimensions size{};
  if (!d || !a || !b || !out || !algorithm || !result || !dimensions(*d, *a, *b, *out, size)) return kBlasInvalidValue;
  *result = {};
  result->algorithm = *algorithm;
  result->state = supported(*d, *a) ? kBlasSuccess : kBlasNotSupported;
  return result->state;
}

// One algorithm fits all; it needs no workspace, so any limit in `preference` is kept.
EXPORT int cublasLtMatmulAlgoGetHeuristic(void* handle, Matmul* d, Layout* a, Layout* b, Layout* c, Layout* out,
                                          Preference* preference, int wanted, HeuristicResult* results, int* found) {
  if (!handle) return kBlasNotInitialized;
  if (!d || !a || !b || !c || !out || !preference || !results || !found || wanted < 1) return kBlasInvalidValue;
  *found = 0;
  Dimensions size{};
  if (!dimensions(*d, *a, *b, *out, size)) return kBlasInvalidValue;
  if (!supported(*d, *a)) return kBlasNotSupported;
  *found = 1;
  results[0] = {};
  results[0].algorithm.data[0] = kOurAlgorithm;
  results[0].waves =
      static_cast<float>(size.m / 128 * size.n / 128 * size.batch) / static_cast<float>(simulator().model.sm_count);
  return kBlasSuccess;
}

EXPORT int cublasLtMatmul(void* handle, Matmul* d, const void*, const void*, Layout* a, const void*, Layout* b,
                          const void*, const void*, Layout*, void*, Layout* out, const Algorithm*, void*, std::size_t,
                          const void* stream) {
  if (!handle) return kBlasNotInitialized;
  if (!d || !a || !b || !out) return kBlasInvalidValue;
  Dimensions size{};
  if (!dimensions(*d, *a, *b, *out, size)) return kBlasInvalidValue;
  if (!supported(*d, *a)) return kBlasNotSupported;
  const Scalar type = scalar_of(a->get<int>(layout::kType));
  return blas_launch("sim_cublasLt_matmul", size.m, size.n, size.k * type.work, size.batch, type.bits, stream);
}
