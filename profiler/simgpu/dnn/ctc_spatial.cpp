// CTC loss and spatial transformers.
#include <algorithm>

#include "profiler/simgpu/dnn/types.h"

using namespace zerostall::simgpu::dnn;

namespace {

struct CtcLoss {
  int compute_type, normalization, gradient_mode, max_label_length;
};
struct SpatialTransformer {
  int sampler, type, count;
  int dims[kMaxDims];
};

// Forward and backward variables of every time step, batch element and position between labels.
std::size_t ctc_bytes(const Tensor& probabilities, int max_label_length) {
  const double steps = probabilities.dims[0], batch = probabilities.dims[1];
  return static_cast<std::size_t>(2 * steps * batch * (2.0 * max_label_length + 1) * sizeof(float));
}

int ctc_loss(const Handle* h, const CtcLoss* loss, const Tensor* probabilities, const Tensor* gradients) {
  if (!loss || !probabilities) return fail(kBadParamNull, "a descriptor is null");
  const double moved = 3 * bytes(*probabilities) + (gradients ? bytes(*gradients) : 0);
  return kernel_by_bytes(h, "sim_cudnn_ctc_loss", moved);
}

double grid_bytes(const SpatialTransformer& s) {
  double points = 1;  // batch x all spatial dimensions; two coordinates each
  for (int i = 0; i < s.count; ++i)
    if (i != 1) points *= s.dims[i];
  return points * 2 * type_bits(s.type) / 8;
}

}  // namespace

EXPORT int cudnnCreateCTCLossDescriptor(CtcLoss** c) {
  if (!c) return kBadParamNull;
  *c = new CtcLoss{};
  return kSuccess;
}
EXPORT int cudnnDestroyCTCLossDescriptor(CtcLoss* c) {
  delete c;
  return kSuccess;
}
EXPORT int cudnnSetCTCLossDescriptor(CtcLoss* c, int compute_type) {
  if (!c) return kBadParamNull;
  c->compute_type = compute_type;
  return kSuccess;
}
EXPORT int cudnnSetCTCLossDescriptorEx(CtcLoss* c, int compute_type, int normalization, int gradient_mode) {
  if (!c) return kBadParamNull;
  *c = {compute_type, normalization, gradient_mode, c->max_label_length};
  return kSuccess;
}
EXPORT int cudnnSetCTCLossDescriptor_v8(CtcLoss* c, int compute_type, int normalization, int gradient_mode,
                                        int max_label_length) {
  if (!c) return kBadParamNull;
  *c = {compute_type, normalization, gradient_mode, max_label_length};
  return kSuccess;
}
EXPORT int cudnnSetCTCLossDescriptor_v9(CtcLoss* c, int compute_type, int normalization, int gradient_mode,
                                        int max_label_length) {
  return cudnnSetCTCLossDescriptor_v8(c, compute_type, normalization, gradient_mode, max_label_length);
}
EXPORT int cudnnGetCTCLossDescriptor_v9(CtcLoss* c, int* compute_type, int* normalization, int* gradient_mode,
                                        int* max_label_length) {
  if (!c) return kBadParamNull;
  if (compute_type) *compute_type = c->compute_type;
  if (normalization) *normalization = c->normalization;
  if (gradient_mode) *gradient_mode = c->gradient_mode;
  if (max_label_length) *max_label_length = c->max_label_length;
  return kSuccess;
}

// The labels are in host memory.
EXPORT int cudnnGetCTCLossWorkspaceSize(Handle*, const Tensor* probabilities, const Tensor*, const int*,
                                        const int* label_lengths, const int*, int, CtcLoss*, std::size_t* size) {
  if (!probabilities || !label_lengths || !size) return kBadParamNull;
  const int longest = *std::max_element(label_lengths, label_lengths + std::max(1, probabilities->dims[1]));
  *size = ctc_bytes(*probabilities, longest);
  return kSuccess;
}
EXPORT int cudnnGetCTCLossWorkspaceSize_v8(Handle*, int, CtcLoss* c, const Tensor* probabilities, const Tensor*,
                                           std::size_t* size) {
  if (!probabilities || !c || !size) return kBadParamNull;
  *size = ctc_bytes(*probabilities, c->max_label_length);
  return kSuccess;
}
EXPORT int cudnnCTCLoss(Handle* h, const Tensor* probabilities, const void*, const int*, const int*, const int*, void*,
                        const Tensor* gradients, void*, int, CtcLoss* c, void*, std::size_t) {
  return ctc_loss(h, c, probabilities, gradients);
}
EXPORT int cudnnCTCLoss_v8(Handle* h, int, CtcLoss* c, const Tensor* probabilities, const void*, const int*, const int*,
                           const int*, void*, const Tensor* gradients, void*, std::size_t, void*) {
  return ctc_loss(h, c, probabilities, gradients);
}

EXPORT int cudnnCreateSpatialTransformerDescriptor(SpatialTransformer** s) {
  if (!s) return kBadParamNull;
  *s = new SpatialTransformer{};
  return kSuccess;
}
EXPORT int cudnnDestroySpatialTransformerDescriptor(SpatialTransformer* s) {
  delete s;
  return kSuccess;
}
EXPORT int cudnnSetSpatialTransformerNdDescriptor(SpatialTransformer* s, int sampler, int type, int count,
                                                  const int* dims) {
  if (!s || !dims) return kBadParamNull;
  if (count < 3 || count > kMaxDims) return fail(kBadParam, "a spatial transformer has 3 to 8 dimensions");
  s->sampler = sampler;
  s->type = type;
  s->count = count;
  std::copy_n(dims, count, s->dims);
  return kSuccess;
}
EXPORT int cudnnSpatialTfGridGeneratorForward(Handle* h, const SpatialTransformer* s, const void*, void*) {
  if (!s) return kBadParamNull;
  return kernel_by_bytes(h, "sim_cudnn_grid_generator_forward", grid_bytes(*s));
}
EXPORT int cudnnSpatialTfGridGeneratorBackward(Handle* h, const SpatialTransformer* s, const void*, void*) {
  if (!s) return kBadParamNull;
  return kernel_by_bytes(h, "sim_cudnn_grid_generator_backward", grid_bytes(*s));
}
EXPORT int cudnnSpatialTfSamplerForward(Handle* h, SpatialTransformer* s, const void*, const Tensor* x, const void*,
                                        const void*, const void*, Tensor* y, void*) {
  if (!s) return kBadParamNull;
  return touch(h, "sim_cudnn_sampler_forward", {x, y});
}
EXPORT int cudnnSpatialTfSamplerBackward(Handle* h, SpatialTransformer* s, const void*, const Tensor* x, const void*,
                                         const void*, const Tensor* dx, void*, const void*, const Tensor* dy,
                                         const void*, const void*, const void*, void*) {
  if (!s) return kBadParamNull;
  return touch(h, "sim_cudnn_sampler_backward", {x, dx, dy});
}
