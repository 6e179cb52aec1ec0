// Fix `cached-guidance`: a number that a model wants as a tensor on the device (the guidance scale, which is the same
// in every step) is made once and kept, instead of uploaded in every micro-step. Source:
// shared/design/reference-step.md row B.1 #12. Explanation: fixes/README.md.
//
//   zerostall::fixes::CachedNumber guidance;                                                    // beside the model
//   at::Tensor g = guidance.get(scale, device, at::kBFloat16).expand({batch});                  // in the step
//
// Also the making does not wait: the number travels as a kernel's argument. One thread; the tensor is made on the
// current stream, so use it there, or on another stream after that one.
#pragma once
#include <ATen/ATen.h>

namespace zerostall::fixes {

class CachedNumber {
 public:
  // [1], holds `value` rounded to `dtype`. The same tensor as long as value, device and dtype stay the same: do not
  // write into it.
  at::Tensor get(double value, at::Device device, at::ScalarType dtype) {
    if (!tensor_.defined() || value != value_ || device != device_ || dtype != tensor_.scalar_type()) {
      const at::NoGradGuard no_grad;
      tensor_ = at::full({1}, value, at::TensorOptions().dtype(dtype).device(device));
      value_ = value;
      device_ = device;
    }
    return tensor_;
  }

 private:
  at::Tensor tensor_;
  double value_ = 0;
  at::Device device_ = at::kCPU;  // as asked for: "cuda" and "cuda:0" are two askings
};

}  // namespace zerostall::fixes
