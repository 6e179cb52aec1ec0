// torch.autocast("cuda", dtype) as a scope, nestable, for the calling thread (LibTorch has no such class). The training
// step runs under it (reference-step.md A.4): linear and attention in bf16 (or fp16), norms in fp32; casts of
// parameters are cached until the outermost scope closes. Open it again in code that is recomputed on the autograd
// thread, with the dtype that compute_dtype() gave in the forward pass.
#pragma once
#include <ATen/autocast_mode.h>

namespace zerostall::train {

class Autocast {
 public:
  explicit Autocast(at::DeviceType device, at::ScalarType dtype = at::kBFloat16)
      : device_(device),
        was_enabled_(at::autocast::is_autocast_enabled(device)),
        old_dtype_(at::autocast::get_autocast_dtype(device)) {
    at::autocast::set_autocast_dtype(device, dtype);
    at::autocast::set_autocast_enabled(device, true);
    at::autocast::increment_nesting();
  }
  ~Autocast() {
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(device_, was_enabled_);
    at::autocast::set_autocast_dtype(device_, old_dtype_);
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  at::DeviceType device_;
  bool was_enabled_;
  at::ScalarType old_dtype_;
};

// What linear layers compute in now, on this thread: the dtype of the Autocast in force, bf16 without one.
inline at::ScalarType compute_dtype(at::DeviceType device) {
  return at::autocast::is_autocast_enabled(device) ? at::autocast::get_autocast_dtype(device) : at::kBFloat16;
}

}  // namespace zerostall::train
