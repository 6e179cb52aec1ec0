// Gradient clipping, AdamW and the learning rate, all without a read from the device.
// Sources: reference-step.md A.3.11, rows B.1 #20, #20', #21 and section G (defaults).
#pragma once
#include <ATen/ATen.h>

#include <memory>
#include <string_view>
#include <vector>

#include "scenarios/settings.h"

namespace zerostall::train {

// Scales all defined gradients by min(1, max_norm / (norm + 1e-6)), norm = L2 norm over all of them. Norm and factor
// stay on the device (torch::nn::utils::clip_grad_norm_ of LibTorch reads the norm on the host and waits). Returns the
// norm, a device scalar; undefined if there is no gradient.
at::Tensor clip_grad_norm(const std::vector<at::Tensor>& parameters, double max_norm);

// What a step is given.
struct StepInput {
  double learning_rate = 0;
  at::Tensor learning_rate_tensor;  // setting tensor-learning-rate: the same number on the device; else undefined
  at::Tensor found_inf;  // fix deferred-finite-check: fp32 [1] on the device, non-zero = this step must change nothing
};

// One tensor of the optimizer's state. `tensor` points into the optimizer: assign to replace it.
struct StateEntry {
  std::string_view kind;  // "step", "exp_avg", "exp_avg_sq", ...
  at::Tensor* tensor;
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  virtual void step(const StepInput& input) = 0;  // parameters without a gradient are left alone
  virtual void zero_grad() = 0;                   // sets the gradients to undefined
  virtual std::vector<StateEntry> state() = 0;    // all of it, as far as it exists; what a backup holds
};

struct AdamWOptions {
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 1e-2;
};

// Single-tensor AdamW, one series of kernels per parameter (not fused, not foreach), the step counter a scalar tensor
// on the host that is read with .item() (free there; a host wait per parameter once it lies on the device, B.1 #21c):
//   p *= 1 - lr wd;  m += (g - m)(1 - b1);  v = v b2 + g^2 (1 - b2);  p -= lr / (1 - b1^n) * m / (sqrt(v) / sqrt(1 -
//   b2^n) + eps)
class AdamW : public Optimizer {
 public:
  explicit AdamW(std::vector<at::Tensor> parameters, AdamWOptions options = {});
  void step(const StepInput& input) override;
  void zero_grad() override;
  std::vector<StateEntry> state() override;

 private:
  struct State {
    at::Tensor parameter, step, mean, square;
  };
  std::vector<State> states_;
  AdamWOptions options_;
};

// By setting `optimizer`.
std::unique_ptr<Optimizer> make_optimizer(scenarios::OptimizerKind kind, std::vector<at::Tensor> parameters);

// Constant after a linear warm-up: base * min(1, (update + 1) / warmup_updates), update counted from 0.
double learning_rate_at(std::int64_t update, double base, std::int64_t warmup_updates);

}  // namespace zerostall::train
