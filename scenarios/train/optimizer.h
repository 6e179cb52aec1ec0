// Gradient clipping, AdamW and the learning rate, all without a read from the device.
// Sources: reference-step.md A.3.11, rows B.1 #20, #20', #21 and section G (defaults).
#pragma once
#include <ATen/ATen.h>

#include <vector>

namespace zerostall::train {

// Scales all defined gradients by min(1, max_norm / (norm + 1e-6)), norm = L2 norm over all of them. Norm and factor
// stay on the device (torch::nn::utils::clip_grad_norm_ of LibTorch reads the norm on the host and waits). Returns the
// norm, a device scalar; undefined if there is no gradient.
at::Tensor clip_grad_norm(const std::vector<at::Tensor>& parameters, double max_norm);

struct AdamWOptions {
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 1e-2;
};

// Single-tensor AdamW, one series of kernels per parameter (not fused, not foreach), the step counter on the host:
//   p *= 1 - lr wd;  m += (g - m)(1 - b1);  v = v b2 + g^2 (1 - b2);  p -= lr / (1 - b1^n) * m / (sqrt(v) / sqrt(1 -
//   b2^n) + eps)
class AdamW {
 public:
  explicit AdamW(std::vector<at::Tensor> parameters, AdamWOptions options = {});
  void step(double learning_rate);  // parameters without a gradient are left alone
  void zero_grad();                 // sets the gradients to undefined

 private:
  struct State {
    at::Tensor parameter, mean, square;
    std::int64_t steps = 0;
  };
  std::vector<State> states_;
  AdamWOptions options_;
};

// Constant after a linear warm-up: base * min(1, (update + 1) / warmup_updates), update counted from 0.
double learning_rate_at(std::int64_t update, double base, std::int64_t warmup_updates);

}  // namespace zerostall::train
