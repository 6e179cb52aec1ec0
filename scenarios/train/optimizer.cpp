#include "scenarios/train/optimizer.h"

#include <algorithm>
#include <cmath>

namespace zerostall::train {

at::Tensor clip_grad_norm(const std::vector<at::Tensor>& parameters, double max_norm) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& parameter : parameters) {
    if (parameter.grad().defined()) gradients.push_back(parameter.grad());
  }
  if (gradients.empty()) return {};
  const at::Tensor norm = at::linalg_vector_norm(at::stack(at::_foreach_norm(gradients)), 2);
  // Multiplied always: whether the norm exceeds the limit is known on the device only.
  at::_foreach_mul_(gradients, (max_norm / (norm + 1e-6)).clamp_max(1));
  return norm;
}

AdamW::AdamW(std::vector<at::Tensor> parameters, AdamWOptions options) : options_(options) {
  for (at::Tensor& parameter : parameters)
    states_.push_back({.parameter = std::move(parameter), .step = at::zeros({}, at::kFloat), .mean = {}, .square = {}});
}

void AdamW::step(const StepInput& input) {
  const at::NoGradGuard no_grad;
  for (State& state : states_) {
    const at::Tensor& gradient = state.parameter.grad();
    if (!gradient.defined()) continue;
    if (!state.mean.defined()) {
      state.mean = at::zeros_like(state.parameter);
      state.square = at::zeros_like(state.parameter);
    }
    state.step += 1;
    const auto n = state.step.item<double>();
    const double step_size = input.learning_rate / (1 - std::pow(options_.beta1, n));
    const double root = std::sqrt(1 - std::pow(options_.beta2, n));
    state.parameter.mul_(1 - input.learning_rate * options_.weight_decay);
    state.mean.lerp_(gradient, 1 - options_.beta1);
    state.square.mul_(options_.beta2).addcmul_(gradient, gradient, 1 - options_.beta2);
    state.parameter.addcdiv_(state.mean, (state.square.sqrt() / root).add_(options_.eps), -step_size);
  }
}

void AdamW::zero_grad() {
  for (State& state : states_) state.parameter.mutable_grad().reset();
}

std::vector<StateEntry> AdamW::state() {
  std::vector<StateEntry> entries;
  for (State& state : states_) {
    entries.push_back({"step", &state.step});
    if (!state.mean.defined()) continue;
    entries.push_back({"exp_avg", &state.mean});
    entries.push_back({"exp_avg_sq", &state.square});
  }
  return entries;
}

std::unique_ptr<Optimizer> make_optimizer(scenarios::OptimizerKind kind, std::vector<at::Tensor> parameters) {
  TORCH_CHECK(kind == scenarios::OptimizerKind::adamw, "this optimizer is not built yet");
  return std::make_unique<AdamW>(std::move(parameters));
}

double learning_rate_at(std::int64_t update, double base, std::int64_t warmup_updates) {
  return base * std::min(1.0, static_cast<double>(update + 1) /
                                  static_cast<double>(std::max<std::int64_t>(1, warmup_updates)));
}

}  // namespace zerostall::train
