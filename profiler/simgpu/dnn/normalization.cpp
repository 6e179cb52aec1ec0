// Batch normalization. Forward training reads the input twice and writes the output once; backward reads both inputs
// twice.
#include <algorithm>

#include "profiler/simgpu/dnn/types.h"

using namespace zerostall::simgpu::dnn;

namespace {

constexpr int kPerActivation = 0;  // cudnnBatchNormMode_t
constexpr int kOnly = 0;           // cudnnBatchNormOps_t: batch normalization only
constexpr std::size_t kAlignment = 256;

std::size_t aligned(double bytes) {
  const auto n = static_cast<std::size_t>(bytes);
  return (n + kAlignment - 1) / kAlignment * kAlignment;
}

// Two sums of each channel in single precision.
std::size_t partial_sums(const Tensor& x, int mode) {
  const double channels = mode == kPerActivation ? elements(x) / std::max(1, x.dims[0]) : x.dims[1];
  return aligned(channels * 2 * sizeof(float));
}

int forward(const Handle* h, const char* name, const Tensor* x, const Tensor* y, double reads) {
  if (!x || !y) return fail(kBadParamNull, "a descriptor is null");
  return kernel_by_bytes(h, name, reads * bytes(*x) + bytes(*y));
}

int backward(const Handle* h, const Tensor* x, const Tensor* dy, const Tensor* dx) {
  if (!x || !dy || !dx) return fail(kBadParamNull, "a descriptor is null");
  return kernel_by_bytes(h, "sim_cudnn_batch_norm_backward", 2 * (bytes(*x) + bytes(*dy)) + bytes(*dx));
}

}  // namespace

EXPORT int cudnnDeriveBNTensorDescriptor(Tensor* derived, const Tensor* x, int mode) {
  if (!derived || !x) return kBadParamNull;
  *derived = *x;
  if (derived->type != kDouble) derived->type = kFloat;
  derived->dims[0] = 1;
  for (int i = 2; i < x->count && mode != kPerActivation; ++i) derived->dims[i] = 1;
  int stride = 1;
  for (int i = x->count - 1; i >= 0; --i) {
    derived->strides[i] = stride;
    stride *= derived->dims[i];
  }
  return kSuccess;
}

EXPORT int cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(Handle*, int mode, int, const Tensor* x,
                                                                    const Tensor*, const Tensor*, const Tensor*,
                                                                    const Activation*, std::size_t* size) {
  if (!x || !size) return kBadParamNull;
  *size = partial_sums(*x, mode);
  return kSuccess;
}
EXPORT int cudnnGetBatchNormalizationBackwardExWorkspaceSize(Handle*, int mode, int, const Tensor* x, const Tensor*,
                                                             const Tensor*, const Tensor*, const Tensor*, const Tensor*,
                                                             const Activation*, std::size_t* size) {
  if (!x || !size) return kBadParamNull;
  *size = partial_sums(*x, mode);
  return kSuccess;
}
// A fused activation keeps one bit of each element for the backward pass.
EXPORT int cudnnGetBatchNormalizationTrainingExReserveSpaceSize(Handle*, int, int operations, const Activation*,
                                                                const Tensor* x, std::size_t* size) {
  if (!x || !size) return kBadParamNull;
  *size = operations == kOnly ? 0 : aligned(elements(*x) / 8 + 1);
  return kSuccess;
}

EXPORT int cudnnBatchNormalizationForwardTraining(Handle* h, int, const void*, const void*, const Tensor* x,
                                                  const void*, const Tensor* y, void*, const Tensor*, const void*,
                                                  const void*, double, void*, void*, double, void*, void*) {
  return forward(h, "sim_cudnn_batch_norm_forward_training", x, y, 2);
}
EXPORT int cudnnBatchNormalizationForwardTrainingEx(Handle* h, int, int, const void*, const void*, const Tensor* x,
                                                    const void*, const Tensor*, const void*, const Tensor* y, void*,
                                                    const Tensor*, const void*, const void*, double, void*, void*,
                                                    double, void*, void*, Activation*, void*, std::size_t, void*,
                                                    std::size_t) {
  return forward(h, "sim_cudnn_batch_norm_forward_training", x, y, 2);
}
EXPORT int cudnnBatchNormalizationForwardInference(Handle* h, int, const void*, const void*, const Tensor* x,
                                                   const void*, const Tensor* y, void*, const Tensor*, const void*,
                                                   const void*, const void*, const void*, double) {
  return forward(h, "sim_cudnn_batch_norm_forward_inference", x, y, 1);
}
EXPORT int cudnnBatchNormalizationBackward(Handle* h, int, const void*, const void*, const void*, const void*,
                                           const Tensor* x, const void*, const Tensor* dy, const void*,
                                           const Tensor* dx, void*, const Tensor*, const void*, void*, void*, double,
                                           const void*, const void*) {
  return backward(h, x, dy, dx);
}
EXPORT int cudnnBatchNormalizationBackwardEx(Handle* h, int, int, const void*, const void*, const void*, const void*,
                                             const Tensor* x, const void*, const Tensor*, const void*, const Tensor* dy,
                                             const void*, const Tensor*, void*, const Tensor* dx, void*, const Tensor*,
                                             const void*, const void*, void*, void*, double, const void*, const void*,
                                             Activation*, void*, std::size_t, void*, std::size_t) {
  return backward(h, x, dy, dx);
}
