// Descriptors of tensors and filters, and operations on whole tensors.
#include <algorithm>

#include "profiler/simgpu/dnn/types.h"

using namespace zerostall::simgpu::dnn;

namespace {

constexpr int kNhwc = 1;  // cudnnTensorFormat_t

// Packed strides. The second dimension is the channels, which NHWC puts innermost.
void pack(Tensor& t, int format) {
  int stride = 1;
  if (format == kNhwc && t.count > 1) {
    t.strides[1] = 1;
    stride = t.dims[1];
  }
  for (int i = t.count - 1; i >= 0; --i) {
    if (format == kNhwc && i == 1) continue;
    t.strides[i] = stride;
    stride *= t.dims[i];
  }
}

int set_tensor(Tensor* t, int type, int count, const int* dims, const int* strides, int format) {
  if (!t || !dims) return kBadParamNull;
  if (count < 1 || count > kMaxDims) return fail(kBadParam, "a tensor has 1 to 8 dimensions");
  if (std::any_of(dims, dims + count, [](int d) { return d <= 0; })) return fail(kBadParam, "dimensions are positive");
  t->type = type;
  t->count = count;
  std::copy_n(dims, count, t->dims);
  if (strides)
    std::copy_n(strides, count, t->strides);
  else
    pack(*t, format);
  return kSuccess;
}

int set_filter(Filter* f, int type, int format, int count, const int* dims) {
  if (!f || !dims) return kBadParamNull;
  if (count < 3 || count > kMaxDims) return fail(kBadParam, "a filter has 3 to 8 dimensions");
  f->type = type;
  f->format = format;
  f->count = count;
  std::copy_n(dims, count, f->dims);
  return kSuccess;
}

// Fills what the caller has room for; pointers may be null.
void give(const int* values, int wanted, int have, int* out) {
  if (out) std::copy_n(values, std::max(0, std::min(wanted, have)), out);
}

}  // namespace

EXPORT int cudnnCreateTensorDescriptor(Tensor** t) {
  if (!t) return kBadParamNull;
  *t = new Tensor{};
  return kSuccess;
}
EXPORT int cudnnDestroyTensorDescriptor(Tensor* t) {
  delete t;
  return kSuccess;
}
EXPORT int cudnnSetTensorNdDescriptor(Tensor* t, int type, int count, const int* dims, const int* strides) {
  return strides ? set_tensor(t, type, count, dims, strides, 0) : kBadParamNull;
}
EXPORT int cudnnSetTensorNdDescriptorEx(Tensor* t, int format, int type, int count, const int* dims) {
  return set_tensor(t, type, count, dims, nullptr, format);
}
EXPORT int cudnnSetTensor4dDescriptor(Tensor* t, int format, int type, int n, int c, int h, int w) {
  const int dims[] = {n, c, h, w};
  return set_tensor(t, type, 4, dims, nullptr, format);
}
EXPORT int cudnnSetTensor4dDescriptorEx(Tensor* t, int type, int n, int c, int h, int w, int n_stride, int c_stride,
                                        int h_stride, int w_stride) {
  const int dims[] = {n, c, h, w}, strides[] = {n_stride, c_stride, h_stride, w_stride};
  return set_tensor(t, type, 4, dims, strides, 0);
}
EXPORT int cudnnGetTensorNdDescriptor(const Tensor* t, int wanted, int* type, int* count, int* dims, int* strides) {
  if (!t) return kBadParamNull;
  if (type) *type = t->type;
  if (count) *count = t->count;
  give(t->dims, wanted, t->count, dims);
  give(t->strides, wanted, t->count, strides);
  return kSuccess;
}
EXPORT int cudnnGetTensor4dDescriptor(const Tensor* t, int* type, int* n, int* c, int* h, int* w, int* n_stride,
                                      int* c_stride, int* h_stride, int* w_stride) {
  if (!t) return kBadParamNull;
  int* const dims[] = {n, c, h, w};
  int* const strides[] = {n_stride, c_stride, h_stride, w_stride};
  if (type) *type = t->type;
  for (int i = 0; i < 4; ++i) {
    if (dims[i]) *dims[i] = t->dims[i];
    if (strides[i]) *strides[i] = t->strides[i];
  }
  return kSuccess;
}
EXPORT int cudnnGetTensorSizeInBytes(const Tensor* t, std::size_t* size) {
  if (!t || !size) return kBadParamNull;
  std::size_t last = 0;  // offset of the last element
  for (int i = 0; i < t->count; ++i) last += std::size_t(t->dims[i] - 1) * std::size_t(t->strides[i]);
  *size = t->count > 0 ? (last + 1) * std::size_t(type_bits(t->type)) / 8 : 0;
  return kSuccess;
}

EXPORT int cudnnCreateFilterDescriptor(Filter** f) {
  if (!f) return kBadParamNull;
  *f = new Filter{};
  return kSuccess;
}
EXPORT int cudnnDestroyFilterDescriptor(Filter* f) {
  delete f;
  return kSuccess;
}
EXPORT int cudnnSetFilterNdDescriptor(Filter* f, int type, int format, int count, const int* dims) {
  return set_filter(f, type, format, count, dims);
}
EXPORT int cudnnSetFilter4dDescriptor(Filter* f, int type, int format, int k, int c, int h, int w) {
  const int dims[] = {k, c, h, w};
  return set_filter(f, type, format, 4, dims);
}
EXPORT int cudnnGetFilterNdDescriptor(const Filter* f, int wanted, int* type, int* format, int* count, int* dims) {
  if (!f) return kBadParamNull;
  if (type) *type = f->type;
  if (format) *format = f->format;
  if (count) *count = f->count;
  give(f->dims, wanted, f->count, dims);
  return kSuccess;
}
EXPORT int cudnnGetFilterSizeInBytes(const Filter* f, std::size_t* size) {
  if (!f || !size) return kBadParamNull;
  *size = static_cast<std::size_t>(bytes(*f));
  return kSuccess;
}

EXPORT int cudnnAddTensor(Handle* h, const void*, const Tensor* a, const void*, const void*, const Tensor* c, void*) {
  if (!a || !c) return kBadParamNull;
  return kernel_by_bytes(h, "sim_cudnn_add_tensor", bytes(*a) + 2 * bytes(*c));
}
EXPORT int cudnnTransformTensor(Handle* h, const void*, const Tensor* x, const void*, const void*, const Tensor* y,
                                void*) {
  if (!x || !y) return kBadParamNull;
  return kernel_by_bytes(h, "sim_cudnn_transform_tensor", bytes(*x) + bytes(*y));
}
EXPORT int cudnnSetTensor(Handle* h, const Tensor* y, void*, const void*) {
  if (!y) return kBadParamNull;
  return kernel_by_bytes(h, "sim_cudnn_set_tensor", bytes(*y));
}
EXPORT int cudnnScaleTensor(Handle* h, const Tensor* y, void*, const void*) {
  if (!y) return kBadParamNull;
  return kernel_by_bytes(h, "sim_cudnn_scale_tensor", 2 * bytes(*y));
}
