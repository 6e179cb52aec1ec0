#include "scenarios/train/adamw.h"

#include <cmath>

namespace zerostall::train {

AdamW::AdamW(std::vector<at::Tensor> parameters, AdamWOptions options)
    : Optimizer(std::move(parameters)), states_(parameters_.size()), options_(options) {
  for (State& state : states_) state.step = at::zeros({}, at::kFloat);
}

void AdamW::update(std::span<const std::size_t> which, const StepInput& input) {
  for (const std::size_t i : which) {
    if (states_[i].mean.defined()) continue;
    states_[i].mean = at::zeros_like(parameters_[i]);
    states_[i].square = at::zeros_like(parameters_[i]);
  }
  if (input.found_inf.defined()) return update_unless_inf(which, input);
  if (counts_on_device_) steps_to_host();
  for (const std::size_t i : which) update_one(i, input);
}

void AdamW::update_one(std::size_t index, const StepInput& input) {
  const at::Tensor& parameter = parameters_[index];
  const at::Tensor& gradient = parameter.grad();
  State& state = states_[index];
  state.step += 1;
  const Powers& powers = powers_of(state.step.item<double>());
  const at::Tensor& rate = input.learning_rate_tensor;
  if (rate.defined()) {
    parameter.mul_(at::rsub(rate * options_.weight_decay, 1));
  } else {
    parameter.mul_(1 - input.learning_rate * options_.weight_decay);
  }
  state.mean.lerp_(gradient, 1 - options_.beta1);
  state.square.mul_(options_.beta2).addcmul_(gradient, gradient, 1 - options_.beta2);
  const double correction = 1 - powers.beta1;
  const at::Tensor denominator = (state.square.sqrt() / std::sqrt(1 - powers.beta2)).add_(options_.eps);
  const at::Scalar factor =
      rate.defined() ? (rate / correction).neg().item() : at::Scalar(-(input.learning_rate / correction));
  parameter.addcdiv_(state.mean, denominator, factor);
}

// Each rounding as in update_one, with 0-dim device tensors in place of numbers.
void AdamW::update_unless_inf(std::span<const std::size_t> which, const StepInput& input) {
  const at::Device device = parameters_[which.front()].device();
  if (!counts_on_device_) steps_to_device(device);
  const auto fp64 = at::TensorOptions().dtype(at::kDouble).device(device);
  const at::Tensor skip = input.found_inf.reshape({}).ne(0), one = at::ones({}, fp64);
  std::vector<at::Tensor> steps, beta1, beta2;
  for (const std::size_t i : which) {
    steps.push_back(states_[i].step);
    beta1.push_back(powers_beta1_[static_cast<std::int64_t>(i)]);
    beta2.push_back(powers_beta2_[static_cast<std::int64_t>(i)]);
  }
  at::_foreach_add_(steps, skip.logical_not().to(at::kFloat));
  at::_foreach_mul_(beta1, at::where(skip, one, at::full({}, options_.beta1, fp64)));
  at::_foreach_mul_(beta2, at::where(skip, one, at::full({}, options_.beta2, fp64)));

  const at::Tensor& rate = input.learning_rate_tensor;
  const at::Tensor correction = at::rsub(powers_beta1_, 1), roots = at::rsub(powers_beta2_, 1).sqrt();
  const at::Tensor factors = rate.defined() ? (rate / correction.to(at::kFloat)).neg()
                                            : (at::full({}, input.learning_rate, fp64) / correction).neg();
  const auto choose = [&skip](const at::Tensor& old, const at::Tensor& changed) {
    at::Tensor out = old;
    at::where_out(out, skip, old, changed);
  };
  for (const std::size_t i : which) {
    State& state = states_[i];
    const at::Tensor& gradient = parameters_[i].grad();
    const auto row = static_cast<std::int64_t>(i);
    const at::Tensor mean = at::lerp(state.mean, gradient, 1 - options_.beta1);
    const at::Tensor square = state.square.mul(options_.beta2).addcmul_(gradient, gradient, 1 - options_.beta2);
    const at::Tensor denominator = (square.sqrt() / roots[row]).add_(options_.eps);
    choose(parameters_[i], decayed(parameters_[i], input).addcdiv_(mean * factors[row], denominator));
    choose(state.mean, mean);
    choose(state.square, square);
  }
}

at::Tensor AdamW::decayed(const at::Tensor& parameter, const StepInput& input) const {
  const at::Tensor& rate = input.learning_rate_tensor;
  if (rate.defined()) return parameter.mul(at::rsub(rate * options_.weight_decay, 1));
  return parameter.mul(1 - input.learning_rate * options_.weight_decay);
}

const AdamW::Powers& AdamW::powers_of(double n) {
  if (n < powers_.n) powers_ = {};
  for (; powers_.n < n; powers_.n += 1) {
    powers_.beta1 *= options_.beta1;
    powers_.beta2 *= options_.beta2;
  }
  return powers_;
}

std::vector<double> AdamW::read_steps() const {
  std::vector<at::Tensor> steps;
  for (const State& state : states_) steps.push_back(state.step);
  const at::Tensor values = at::stack(steps).cpu();
  return {values.const_data_ptr<float>(), values.const_data_ptr<float>() + values.numel()};
}

void AdamW::steps_to_device(at::Device device) {
  const std::vector<double> steps = read_steps();
  const auto there = at::TensorOptions().device(device);
  std::vector<at::Tensor> beta1, beta2;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const Powers& powers = powers_of(steps[i]);
    states_[i].step = at::full({}, steps[i], there.dtype(at::kFloat));  // a kernel, not an upload
    beta1.push_back(at::full({}, powers.beta1, there.dtype(at::kDouble)));
    beta2.push_back(at::full({}, powers.beta2, there.dtype(at::kDouble)));
  }
  powers_beta1_ = at::stack(beta1);
  powers_beta2_ = at::stack(beta2);
  counts_on_device_ = true;
}

void AdamW::steps_to_host() {
  const std::vector<double> steps = read_steps();
  for (std::size_t i = 0; i < states_.size(); ++i) states_[i].step = at::full({}, steps[i], at::kFloat);
  state_replaced();
}

void AdamW::state_replaced() {
  counts_on_device_ = false;
  powers_beta1_ = powers_beta2_ = at::Tensor();
}

std::vector<StateEntry> AdamW::state() {
  std::vector<StateEntry> entries;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    entries.push_back({"step", i, &states_[i].step});
    entries.push_back({"exp_avg", i, &states_[i].mean});
    entries.push_back({"exp_avg_sq", i, &states_[i].square});
  }
  return entries;
}

}  // namespace zerostall::train
