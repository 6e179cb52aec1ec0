#include "scenarios/train/optimizer.h"

#include <algorithm>

#include "scenarios/train/adafactor.h"
#include "scenarios/train/adamw.h"
#include "scenarios/train/adamw_fused.h"

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

void Optimizer::step(const StepInput& input) {
  const at::NoGradGuard no_grad;
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (parameters_[i].grad().defined()) which.push_back(i);
  if (!which.empty()) update(which, input);
}

void Optimizer::step_one(std::size_t parameter, const StepInput& input) {
  const at::NoGradGuard no_grad;
  if (parameters_[parameter].grad().defined()) update({&parameter, 1}, input);
}

void Optimizer::zero_grad() {
  for (const at::Tensor& parameter : parameters_) parameter.mutable_grad().reset();
}

std::unique_ptr<Optimizer> make_optimizer(scenarios::OptimizerKind kind, std::vector<at::Tensor> parameters) {
  switch (kind) {
    case scenarios::OptimizerKind::adamw_fused:
      return std::make_unique<AdamWFused>(std::move(parameters));
    case scenarios::OptimizerKind::adafactor:
      return std::make_unique<Adafactor>(std::move(parameters));
    case scenarios::OptimizerKind::adamw:
      break;
  }
  return std::make_unique<AdamW>(std::move(parameters));
}

double learning_rate_at(std::int64_t update, double base, std::int64_t warmup_updates) {
  return base * std::min(1.0, static_cast<double>(update + 1) /
                                  static_cast<double>(std::max<std::int64_t>(1, warmup_updates)));
}

}  // namespace zerostall::train
