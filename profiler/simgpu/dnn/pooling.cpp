// Pooling and local response normalization.
#include <algorithm>

#include "profiler/simgpu/dnn/types.h"

using namespace zerostall::simgpu::dnn;

namespace {

struct Lrn {
  unsigned n;
  double alpha, beta, k;
};

int set_pooling(Pooling* p, int mode, int nan_option, int count, const int* windows, const int* pads,
                const int* strides) {
  if (!p || !windows || !pads || !strides) return kBadParamNull;
  if (count < 1 || count > kMaxDims - 2) return fail(kBadParam, "pooling has 1 to 6 spatial dimensions");
  p->mode = mode;
  p->nan_option = nan_option;
  p->count = count;
  std::copy_n(windows, count, p->windows);
  std::copy_n(pads, count, p->pads);
  std::copy_n(strides, count, p->strides);
  return kSuccess;
}

}  // namespace

EXPORT int cudnnCreatePoolingDescriptor(Pooling** p) {
  if (!p) return kBadParamNull;
  *p = new Pooling{};
  return kSuccess;
}
EXPORT int cudnnDestroyPoolingDescriptor(Pooling* p) {
  delete p;
  return kSuccess;
}
EXPORT int cudnnSetPooling2dDescriptor(Pooling* p, int mode, int nan_option, int window_h, int window_w, int pad_h,
                                       int pad_w, int stride_h, int stride_w) {
  const int windows[] = {window_h, window_w}, pads[] = {pad_h, pad_w}, strides[] = {stride_h, stride_w};
  return set_pooling(p, mode, nan_option, 2, windows, pads, strides);
}
EXPORT int cudnnSetPoolingNdDescriptor(Pooling* p, int mode, int nan_option, int count, const int* windows,
                                       const int* pads, const int* strides) {
  return set_pooling(p, mode, nan_option, count, windows, pads, strides);
}
EXPORT int cudnnGetPoolingNdDescriptor(const Pooling* p, int wanted, int* mode, int* nan_option, int* count,
                                       int* windows, int* pads, int* strides) {
  if (!p) return kBadParamNull;
  const int n = std::max(0, std::min(wanted, p->count));
  if (mode) *mode = p->mode;
  if (nan_option) *nan_option = p->nan_option;
  if (count) *count = p->count;
  if (windows) std::copy_n(p->windows, n, windows);
  if (pads) std::copy_n(p->pads, n, pads);
  if (strides) std::copy_n(p->strides, n, strides);
  return kSuccess;
}
EXPORT int cudnnGetPoolingNdForwardOutputDim(const Pooling* p, const Tensor* x, int count, int* dims) {
  if (!p || !x || !dims) return kBadParamNull;
  if (count != x->count || count != p->count + 2) return fail(kBadParam, "dimensions differ in number");
  dims[0] = x->dims[0];
  dims[1] = x->dims[1];
  for (int i = 0; i < p->count; ++i)
    dims[i + 2] = 1 + (x->dims[i + 2] + 2 * p->pads[i] - p->windows[i]) / p->strides[i];
  return kSuccess;
}
EXPORT int cudnnGetPooling2dForwardOutputDim(const Pooling* p, const Tensor* x, int* n, int* c, int* h, int* w) {
  int dims[4] = {};
  if (!n || !c || !h || !w) return kBadParamNull;
  if (const int status = cudnnGetPoolingNdForwardOutputDim(p, x, 4, dims)) return status;
  *n = dims[0];
  *c = dims[1];
  *h = dims[2];
  *w = dims[3];
  return kSuccess;
}
EXPORT int cudnnPoolingForward(Handle* h, const Pooling* p, const void*, const Tensor* x, const void*, const void*,
                               const Tensor* y, void*) {
  if (!p) return kBadParamNull;
  return touch(h, "sim_cudnn_pooling_forward", {x, y});
}
EXPORT int cudnnPoolingBackward(Handle* h, const Pooling* p, const void*, const Tensor* y, const void*,
                                const Tensor* dy, const void*, const Tensor* x, const void*, const void*,
                                const Tensor* dx, void*) {
  if (!p) return kBadParamNull;
  return touch(h, "sim_cudnn_pooling_backward", {y, dy, x, dx});
}

EXPORT int cudnnCreateLRNDescriptor(Lrn** l) {
  if (!l) return kBadParamNull;
  *l = new Lrn{};
  return kSuccess;
}
EXPORT int cudnnDestroyLRNDescriptor(Lrn* l) {
  delete l;
  return kSuccess;
}
EXPORT int cudnnSetLRNDescriptor(Lrn* l, unsigned n, double alpha, double beta, double k) {
  if (!l) return kBadParamNull;
  if (n < 1 || n > 16 || k < 1e-5 || beta < 0.01)
    return fail(kBadParam, "documented: n 1..16, k >= 1e-5, beta >= 0.01");
  *l = {n, alpha, beta, k};
  return kSuccess;
}
EXPORT int cudnnGetLRNDescriptor(Lrn* l, unsigned* n, double* alpha, double* beta, double* k) {
  if (!l) return kBadParamNull;
  if (n) *n = l->n;
  if (alpha) *alpha = l->alpha;
  if (beta) *beta = l->beta;
  if (k) *k = l->k;
  return kSuccess;
}
EXPORT int cudnnLRNCrossChannelForward(Handle* h, Lrn* l, int, const void*, const Tensor* x, const void*, const void*,
                                       const Tensor* y, void*) {
  if (!l) return kBadParamNull;
  return touch(h, "sim_cudnn_lrn_forward", {x, y});
}
EXPORT int cudnnLRNCrossChannelBackward(Handle* h, Lrn* l, int, const void*, const Tensor* y, const void*,
                                        const Tensor* dy, const void*, const Tensor* x, const void*, const void*,
                                        const Tensor* dx, void*) {
  if (!l) return kBadParamNull;
  return touch(h, "sim_cudnn_lrn_backward", {y, dy, x, dx});
}
