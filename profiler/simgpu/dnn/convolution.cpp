// Convolution: descriptor, output size, and the three passes (the older API; see backend.cpp for the graph API).
#include "profiler/simgpu/dnn/convolution.h"

#include <algorithm>

#include "profiler/simgpu/core/launch.h"

using namespace zerostall::simgpu;
using namespace zerostall::simgpu::dnn;

namespace zerostall::simgpu::dnn {

int convolved(int input, int filter, int pad, int stride, int dilation) {
  return 1 + (input + 2 * pad - ((filter - 1) * dilation + 1)) / stride;
}

std::int64_t convolution_ns(double output_elements, double output_channels, double filter_elements, int bits) {
  if (output_channels <= 0) return 0;
  // filter_elements = output channels x (input channels / groups) x points of the filter
  const double m = output_elements / output_channels, k = filter_elements / output_channels;
  return gemm_ns(m, output_channels, k, bits);
}

namespace {

// `y` is the tensor of the forward result, `w` the filter.
int convolve(const Handle* h, const char* name, const Tensor* y, const Filter* w, const Convolution* c) {
  if (!h || !y || !w || !c) return fail(kBadParamNull, "a descriptor is null");
  if (y->count != w->count || c->count != y->count - 2) return fail(kBadParam, "dimensions differ in number");
  return kernel(h, name, convolution_ns(elements(*y), w->dims[0], elements(*w), type_bits(w->type)), elements(*y));
}

int set_convolution(Convolution* c, int count, const int* pads, const int* strides, const int* dilations, int mode,
                    int compute_type) {
  if (!c || !pads || !strides || !dilations) return kBadParamNull;
  if (count < 1 || count > kMaxDims - 2) return fail(kBadParam, "a convolution has 1 to 6 spatial dimensions");
  c->count = count;
  std::copy_n(pads, count, c->pads);
  std::copy_n(strides, count, c->strides);
  std::copy_n(dilations, count, c->dilations);
  c->mode = mode;
  c->compute_type = compute_type;
  return kSuccess;
}

void give(const int* values, int wanted, int have, int* out) {
  if (out) std::copy_n(values, std::max(0, std::min(wanted, have)), out);
}

}  // namespace
}  // namespace zerostall::simgpu::dnn

EXPORT int cudnnCreateConvolutionDescriptor(Convolution** c) {
  if (!c) return kBadParamNull;
  *c = new Convolution{};
  return kSuccess;
}
EXPORT int cudnnDestroyConvolutionDescriptor(Convolution* c) {
  delete c;
  return kSuccess;
}
EXPORT int cudnnSetConvolutionNdDescriptor(Convolution* c, int count, const int* pads, const int* strides,
                                           const int* dilations, int mode, int compute_type) {
  return set_convolution(c, count, pads, strides, dilations, mode, compute_type);
}
EXPORT int cudnnSetConvolution2dDescriptor(Convolution* c, int pad_h, int pad_w, int u, int v, int dilation_h,
                                           int dilation_w, int mode, int compute_type) {
  const int pads[] = {pad_h, pad_w}, strides[] = {u, v}, dilations[] = {dilation_h, dilation_w};
  return set_convolution(c, 2, pads, strides, dilations, mode, compute_type);
}
EXPORT int cudnnGetConvolutionNdDescriptor(const Convolution* c, int wanted, int* count, int* pads, int* strides,
                                           int* dilations, int* mode, int* compute_type) {
  if (!c) return kBadParamNull;
  if (count) *count = c->count;
  give(c->pads, wanted, c->count, pads);
  give(c->strides, wanted, c->count, strides);
  give(c->dilations, wanted, c->count, dilations);
  if (mode) *mode = c->mode;
  if (compute_type) *compute_type = c->compute_type;
  return kSuccess;
}

#define FIELD(Name, field)                                           \
  EXPORT int cudnnSetConvolution##Name(Convolution* c, int value) {  \
    if (!c) return kBadParamNull;                                    \
    c->field = value;                                                \
    return kSuccess;                                                 \
  }                                                                  \
  EXPORT int cudnnGetConvolution##Name(Convolution* c, int* value) { \
    if (!c || !value) return kBadParamNull;                          \
    *value = c->field;                                               \
    return kSuccess;                                                 \
  }
FIELD(GroupCount, groups)
FIELD(MathType, math_type)
FIELD(ReorderType, reorder)

EXPORT int cudnnGetConvolutionNdForwardOutputDim(const Convolution* c, const Tensor* x, const Filter* w, int count,
                                                 int* dims) {
  if (!c || !x || !w || !dims) return kBadParamNull;
  if (count != x->count || count != w->count || count != c->count + 2) return fail(kBadParam, "dimensions differ");
  if (x->dims[1] != w->dims[1] * c->groups) return fail(kBadParamShapeMismatch, "channels of input and filter differ");
  dims[0] = x->dims[0];
  dims[1] = w->dims[0];
  for (int i = 0; i < c->count; ++i)
    dims[i + 2] = convolved(x->dims[i + 2], w->dims[i + 2], c->pads[i], c->strides[i], c->dilations[i]);
  return kSuccess;
}
EXPORT int cudnnGetConvolution2dForwardOutputDim(const Convolution* c, const Tensor* x, const Filter* w, int* n,
                                                 int* channels, int* h, int* width) {
  int dims[4] = {};
  if (!n || !channels || !h || !width) return kBadParamNull;
  if (const int status = cudnnGetConvolutionNdForwardOutputDim(c, x, w, 4, dims)) return status;
  *n = dims[0];
  *channels = dims[1];
  *h = dims[2];
  *width = dims[3];
  return kSuccess;
}

EXPORT int cudnnConvolutionForward(Handle* h, const void*, const Tensor*, const void*, const Filter* w, const void*,
                                   const Convolution* c, int, void*, std::size_t, const void*, const Tensor* y, void*) {
  return convolve(h, "sim_cudnn_conv_fprop", y, w, c);
}
EXPORT int cudnnConvolutionBiasActivationForward(Handle* h, const void*, const Tensor*, const void*, const Filter* w,
                                                 const void*, const Convolution* c, int, void*, std::size_t,
                                                 const void*, const Tensor*, const void*, const Tensor*, const void*,
                                                 const Activation*, const Tensor* y, void*) {
  return convolve(h, "sim_cudnn_conv_bias_activation_fprop", y, w, c);
}
EXPORT int cudnnConvolutionBackwardData(Handle* h, const void*, const Filter* w, const void*, const Tensor* dy,
                                        const void*, const Convolution* c, int, void*, std::size_t, const void*,
                                        const Tensor*, void*) {
  return convolve(h, "sim_cudnn_conv_dgrad", dy, w, c);
}
EXPORT int cudnnConvolutionBackwardFilter(Handle* h, const void*, const Tensor*, const void*, const Tensor* dy,
                                          const void*, const Convolution* c, int, void*, std::size_t, const void*,
                                          const Filter* dw, void*) {
  return convolve(h, "sim_cudnn_conv_wgrad", dy, dw, c);
}
EXPORT int cudnnConvolutionBackwardBias(Handle* h, const void*, const Tensor* dy, const void*, const void*,
                                        const Tensor* db, void*) {
  if (!dy || !db) return kBadParamNull;
  return kernel_by_bytes(h, "sim_cudnn_conv_bgrad", bytes(*dy) + bytes(*db));
}
