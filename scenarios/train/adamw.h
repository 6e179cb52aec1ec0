// Single-tensor AdamW, one series of kernels per parameter (not fused, not foreach), as torch's and the reference's
// default. Source: reference-step.md rows B.1 #21, #21c and section G (defaults); A.3.11.
//   p *= 1 - lr wd;  m += (g - m)(1 - b1);  v = v b2 + g^2 (1 - b2);
//   p -= lr / (1 - b1^n) * m / (sqrt(v) / sqrt(1 - b2^n) + eps)
//
// Host waits per step:
//   none           with the step counters on the host: a scalar tensor each, read with .item(), which is free there
//   1 a parameter  with the counters on the device (after a resume, B.1 #21c)
//   1 a parameter  with a learning rate that is a tensor on the device: the last kernel takes its factor from the host
//   none           with found_inf: whether the step counts is known on the device only, so counters and bias
//                  corrections are kept and computed there, and each tensor takes its old or its new value by where().
//
// With found_inf: the counters move to the device at the first such step, without a copy, and are never read. On the
// CPU the result is bit-identical to a step without found_inf (value 0) and to no step at all (non-zero), that of later
// steps too. On a GPU moments and counters are; a parameter may differ in the last bit of its change (fp32), because
// torch multiplies by the reciprocal of a host divisor and fuses the last product with the sum. A later step without
// found_inf takes the counters back to the host: one wait, once.
#pragma once
#include "scenarios/train/optimizer.h"

namespace zerostall::train {

struct AdamWOptions {
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 1e-2;
};

class AdamW : public Optimizer {
 public:
  explicit AdamW(std::vector<at::Tensor> parameters, AdamWOptions options = {});
  std::vector<StateEntry> state() override;
  void state_replaced() override;
  bool reads_steps() const override { return true; }

 private:
  struct State {
    at::Tensor step, mean, square;  // step: fp32 []
  };
  struct Powers {  // b1^n and b2^n as products, which every device rounds alike
    double n = 0, beta1 = 1, beta2 = 1;
  };
  void update(std::span<const std::size_t> which, const StepInput& input) override;
  void update_one(std::size_t index, const StepInput& input);
  void update_unless_inf(std::span<const std::size_t> which, const StepInput& input);
  const Powers& powers_of(double n);
  std::vector<double> read_steps() const;  // one wait if they are on the device
  void steps_to_device(at::Device device);
  void steps_to_host();
  // 1 - lr wd, as a number or as a device scalar.
  at::Tensor decayed(const at::Tensor& parameter, const StepInput& input) const;

  std::vector<State> states_;
  AdamWOptions options_;
  Powers powers_;                           // of the last n asked for
  bool counts_on_device_ = false;           // after a step with found_inf
  at::Tensor powers_beta1_, powers_beta2_;  // then: fp64 [parameters]
};

}  // namespace zerostall::train
