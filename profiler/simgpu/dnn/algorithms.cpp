// Choice of a convolution algorithm (older API). Two are offered: the implicit matrix product, which needs no
// workspace, and the one with precomputed indices, which needs an index per filter point and input channel. "Find"
// functions run each candidate and wait for it, as the real ones do to measure; the times in their answers are
// modelled.
#include <algorithm>

#include "profiler/simgpu/core/library.h"
#include "profiler/simgpu/dnn/convolution.h"

using namespace zerostall::simgpu;
using namespace zerostall::simgpu::dnn;

namespace {

struct Performance {  // cudnnConvolution{Fwd,BwdData,BwdFilter}AlgoPerf_t
  int algorithm;
  int status;
  float time_ms;
  std::size_t memory_bytes;
  int determinism;
  int math_type;
  int reserved[3];
};

constexpr int kAlgorithms = 2;
constexpr int kImplicit = 0, kPrecomputed = 1;  // the same numbers in all three passes
constexpr int kNonDeterministic = 0, kDeterministic = 1;
constexpr double kImplicitSlowdown = 1.3;  // assumption: recomputing indices costs that much

struct Problem {
  const Tensor* y;  // of the forward result
  const Filter* w;
  const Convolution* c;
  bool backward = false;
};

bool complete(const Problem& p) { return p.y && p.w && p.c; }

std::size_t workspace_bytes(const Problem& p, int algorithm) {
  if (algorithm != kPrecomputed || p.w->dims[0] == 0) return 0;
  return static_cast<std::size_t>(elements(*p.w) / p.w->dims[0]) * sizeof(int);
}

std::int64_t duration_ns(const Problem& p, int algorithm) {
  const std::int64_t ns = convolution_ns(elements(*p.y), p.w->dims[0], elements(*p.w), type_bits(p.w->type));
  return algorithm == kImplicit ? static_cast<std::int64_t>(double(ns) * kImplicitSlowdown) : ns;
}

// Fastest first.
int list(const Problem& p, int wanted, int* returned, Performance* results) {
  if (!complete(p) || !returned || !results) return fail(kBadParamNull, "a descriptor is null");
  if (wanted < 1) return fail(kBadParam, "no algorithm asked for");
  constexpr int kOrder[kAlgorithms] = {kPrecomputed, kImplicit};
  *returned = std::min(wanted, kAlgorithms);
  for (int i = 0; i < *returned; ++i) {
    results[i] = {};
    results[i].algorithm = kOrder[i];
    results[i].time_ms = static_cast<float>(double(duration_ns(p, kOrder[i])) / 1e6);
    results[i].memory_bytes = workspace_bytes(p, kOrder[i]);
    // Algorithm 0 of both backward passes adds atomically.
    results[i].determinism = p.backward && kOrder[i] == 0 ? kNonDeterministic : kDeterministic;
    results[i].math_type = p.c->math_type;
  }
  return kSuccess;
}

int find(const Handle* h, const char* name, const Problem& p, std::size_t workspace, int wanted, int* returned,
         Performance* results) {
  if (const int status = list(p, wanted, returned, results)) return status;
  for (int i = 0; i < *returned; ++i) {
    if (results[i].memory_bytes > workspace) {
      results[i].status = kBadParamSizeInsufficient;
      results[i].time_ms = -1;
      continue;
    }
    if (const int status = kernel(h, name, duration_ns(p, results[i].algorithm), elements(*p.y))) return status;
    library_wait(h->stream);
  }
  std::stable_partition(results, results + *returned, [](const Performance& r) { return r.status == kSuccess; });
  return kSuccess;
}

int workspace(const Problem& p, int algorithm, std::size_t* size) {
  if (!complete(p) || !size) return kBadParamNull;
  *size = workspace_bytes(p, algorithm);
  return kSuccess;
}

}  // namespace

EXPORT int cudnnGetConvolutionForwardAlgorithm_v7(Handle*, const Tensor*, const Filter* w, const Convolution* c,
                                                  const Tensor* y, int wanted, int* returned, Performance* results) {
  return list({y, w, c}, wanted, returned, results);
}
EXPORT int cudnnGetConvolutionBackwardDataAlgorithm_v7(Handle*, const Filter* w, const Tensor* dy, const Convolution* c,
                                                       const Tensor*, int wanted, int* returned, Performance* results) {
  return list({dy, w, c, true}, wanted, returned, results);
}
EXPORT int cudnnGetConvolutionBackwardFilterAlgorithm_v7(Handle*, const Tensor*, const Tensor* dy, const Convolution* c,
                                                         const Filter* dw, int wanted, int* returned,
                                                         Performance* results) {
  return list({dy, dw, c, true}, wanted, returned, results);
}

EXPORT int cudnnFindConvolutionForwardAlgorithmEx(Handle* h, const Tensor*, const void*, const Filter* w, const void*,
                                                  const Convolution* c, const Tensor* y, void*, int wanted,
                                                  int* returned, Performance* results, void*, std::size_t bytes) {
  return find(h, "sim_cudnn_conv_fprop", {y, w, c}, bytes, wanted, returned, results);
}
EXPORT int cudnnFindConvolutionBackwardDataAlgorithmEx(Handle* h, const Filter* w, const void*, const Tensor* dy,
                                                       const void*, const Convolution* c, const Tensor*, void*,
                                                       int wanted, int* returned, Performance* results, void*,
                                                       std::size_t bytes) {
  return find(h, "sim_cudnn_conv_dgrad", {dy, w, c, true}, bytes, wanted, returned, results);
}
EXPORT int cudnnFindConvolutionBackwardFilterAlgorithmEx(Handle* h, const Tensor*, const void*, const Tensor* dy,
                                                         const void*, const Convolution* c, const Filter* dw, void*,
                                                         int wanted, int* returned, Performance* results, void*,
                                                         std::size_t bytes) {
  return find(h, "sim_cudnn_conv_wgrad", {dy, dw, c, true}, bytes, wanted, returned, results);
}

EXPORT int cudnnGetConvolutionForwardWorkspaceSize(Handle*, const Tensor*, const Filter* w, const Convolution* c,
                                                   const Tensor* y, int algorithm, std::size_t* size) {
  return workspace({y, w, c}, algorithm, size);
}
EXPORT int cudnnGetConvolutionBackwardDataWorkspaceSize(Handle*, const Filter* w, const Tensor* dy,
                                                        const Convolution* c, const Tensor*, int algorithm,
                                                        std::size_t* size) {
  return workspace({dy, w, c, true}, algorithm, size);
}
EXPORT int cudnnGetConvolutionBackwardFilterWorkspaceSize(Handle*, const Tensor*, const Tensor* dy,
                                                          const Convolution* c, const Filter* dw, int algorithm,
                                                          std::size_t* size) {
  return workspace({dy, dw, c, true}, algorithm, size);
}

#define MAX_COUNT(Pass)                                                          \
  EXPORT int cudnnGetConvolution##Pass##AlgorithmMaxCount(Handle*, int* count) { \
    if (!count) return kBadParamNull;                                            \
    *count = kAlgorithms;                                                        \
    return kSuccess;                                                             \
  }
MAX_COUNT(Forward)
MAX_COUNT(BackwardData)
MAX_COUNT(BackwardFilter)
