// What all optimizers have in common, gradient clipping and the learning rate: all without a read from the device.
// Sources: reference-step.md A.3.11, rows B.1 #20, #20' and section G (defaults).
// The optimizers: adamw.h, adamw_fused.h, adafactor.h; stepping within the backward pass: fused_back_pass.h.
#pragma once
#include <ATen/ATen.h>

#include <cstddef>
#include <memory>
#include <span>
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
  at::Tensor learning_rate_tensor;  // setting tensor-learning-rate: the same number, fp32 [] on the device; else
                                    // undefined
  at::Tensor found_inf;  // fix deferred-finite-check: fp32 [1] on the device, non-zero = this step must change nothing
};

// One tensor of the optimizer's state. `tensor` points into the optimizer: assign to replace it, then call
// Optimizer::state_replaced.
struct StateEntry {
  std::string_view kind;     // "step", "exp_avg", "exp_avg_sq", ...
  std::size_t parameter;     // index of the parameter it belongs to
  at::Tensor* tensor;        // undefined: does not exist yet
  bool host_number = false;  // a plain number upstream (a Python int), a tensor only here: always on the host
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  void step(const StepInput& input);                             // parameters without a gradient are left alone
  void step_one(std::size_t parameter, const StepInput& input);  // the same for one of them (fused back pass)
  void zero_grad();                                              // sets the gradients to undefined

  // All of it, also what does not exist yet; always in the same order. What a backup holds.
  virtual std::vector<StateEntry> state() = 0;
  // Call after assigning to tensors of state().
  virtual void state_replaced() {}
  // Are the "step" tensors read on the host in each step? Then they belong there (fix resume-steps-on-cpu).
  virtual bool reads_steps() const { return false; }

 protected:
  explicit Optimizer(std::vector<at::Tensor> parameters) : parameters_(std::move(parameters)) {}
  // The parameters named have a gradient. Called without grad mode, on the thread of the backward pass when fused.
  virtual void update(std::span<const std::size_t> which, const StepInput& input) = 0;

  std::vector<at::Tensor> parameters_;
};

// By setting `optimizer`.
std::unique_ptr<Optimizer> make_optimizer(scenarios::OptimizerKind kind, std::vector<at::Tensor> parameters);

// Constant after a linear warm-up: base * min(1, (update + 1) / warmup_updates), update counted from 0.
double learning_rate_at(std::int64_t update, double base, std::int64_t warmup_updates);

}  // namespace zerostall::train
