#include "scenarios/train/adamw_fused.h"

#include <map>

namespace zerostall::train {

AdamWFused::AdamWFused(std::vector<at::Tensor> parameters, AdamWOptions options)
    : Optimizer(std::move(parameters)), states_(parameters_.size()), options_(options) {
  for (std::size_t i = 0; i < states_.size(); ++i)
    states_[i].step = at::zeros({}, at::TensorOptions().dtype(at::kFloat).device(parameters_[i].device()));
}

void AdamWFused::update(std::span<const std::size_t> which, const StepInput& input) {
  std::map<at::ScalarType, std::vector<std::size_t>> alike;
  for (const std::size_t i : which) {
    alike[parameters_[i].scalar_type()].push_back(i);
    if (states_[i].mean.defined()) continue;
    states_[i].mean = at::zeros_like(parameters_[i]);
    states_[i].square = at::zeros_like(parameters_[i]);
  }
  for (const auto& [dtype, indices] : alike) update_alike(indices, input);
}

void AdamWFused::update_alike(std::span<const std::size_t> which, const StepInput& input) {
  std::vector<at::Tensor> parameters, gradients, means, squares, steps;
  for (const std::size_t i : which) {
    parameters.push_back(parameters_[i]);
    gradients.push_back(parameters_[i].grad());
    means.push_back(states_[i].mean);
    squares.push_back(states_[i].square);
    steps.push_back(states_[i].step);
  }
  // The kernel asks whether it is 1.
  std::optional<at::Tensor> found_inf;
  if (input.found_inf.defined()) found_inf = input.found_inf.reshape({}).ne(0).to(at::kFloat);
  at::_foreach_add_(steps, 1);
  const auto& [beta1, beta2, eps, weight_decay] = options_;
  if (input.learning_rate_tensor.defined()) {
    at::_fused_adamw_(parameters, gradients, means, squares, {}, steps, input.learning_rate_tensor, beta1, beta2,
                      weight_decay, eps, /*amsgrad=*/false, /*maximize=*/false, {}, found_inf);
  } else {
    at::_fused_adamw_(parameters, gradients, means, squares, {}, steps, input.learning_rate, beta1, beta2, weight_decay,
                      eps, /*amsgrad=*/false, /*maximize=*/false, {}, found_inf);
  }
  if (found_inf) at::_foreach_add_(steps, *found_inf, -1);
}

std::vector<StateEntry> AdamWFused::state() {
  std::vector<StateEntry> entries;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    entries.push_back({"step", i, &states_[i].step});
    entries.push_back({"exp_avg", i, &states_[i].mean});
    entries.push_back({"exp_avg_sq", i, &states_[i].square});
  }
  return entries;
}

}  // namespace zerostall::train
