#include "scenarios/train/adafactor.h"

#include <cmath>

namespace zerostall::train {
namespace {

at::Tensor rms(const at::Tensor& values) {
  return at::linalg_vector_norm(values).div_(std::sqrt(static_cast<double>(values.numel())));
}

at::Generator seeded(at::Device device, std::size_t parameter, std::int64_t step) {
  at::Generator generator = at::globalContext().defaultGenerator(device).clone();
  generator.set_current_seed((static_cast<std::uint64_t>(step) << 24) + parameter);
  return generator;
}

}  // namespace

at::Tensor round_stochastically(const at::Tensor& values, const at::Generator& generator) {
  const at::Tensor bits = values.view(at::kInt);
  const at::Tensor noise = at::randint(0, 1 << 16, bits.sizes(), generator, bits.options());
  return noise.add_(bits).bitwise_and_(-(1 << 16)).view(at::kFloat).to(at::kBFloat16);
}

Adafactor::Adafactor(std::vector<at::Tensor> parameters, AdafactorOptions options)
    : Optimizer(std::move(parameters)), states_(parameters_.size()), options_(options) {
  for (State& state : states_) state.step = at::zeros({}, at::kLong);
}

at::Tensor Adafactor::direction(State& state, const at::Tensor& gradient) const {
  const auto n = static_cast<double>(state.step.item<std::int64_t>());  // on the host
  const double fresh = std::pow(n, options_.decay_rate), decay = 1 - fresh;
  const at::Tensor squared = gradient.square().add_(options_.eps);
  if (gradient.dim() < 2) {
    if (!state.square.defined()) state.square = at::zeros_like(gradient);
    state.square.mul_(decay).add_(squared, fresh);
    return state.square.rsqrt().mul_(gradient);
  }
  const at::Tensor row = squared.mean(-1), col = squared.mean(-2);
  if (!state.row.defined()) {
    state.row = at::zeros_like(row);
    state.col = at::zeros_like(col);
  }
  state.row.mul_(decay).add_(row, fresh);
  state.col.mul_(decay).add_(col, fresh);
  const at::Tensor by_row = (state.row / state.row.mean(-1, /*keepdim=*/true)).rsqrt_().unsqueeze(-1);
  return (by_row * state.col.rsqrt().unsqueeze(-2)).mul_(gradient);
}

void Adafactor::update(std::span<const std::size_t> which, const StepInput& input) {
  TORCH_CHECK(!input.found_inf.defined(),
              "Adafactor cannot undo a step on the device (fix deferred-finite-check): use optimizer=adamw or "
              "adamw-fused with it");
  for (const std::size_t i : which) {
    const at::Tensor& parameter = parameters_[i];
    State& state = states_[i];
    state.step += 1;
    at::Tensor change = direction(state, parameter.grad().to(at::kFloat));
    change.div_(rms(change).div_(options_.clip_threshold).clamp_min_(1));
    change = input.learning_rate_tensor.defined() ? change.mul_(input.learning_rate_tensor)
                                                  : change.mul_(input.learning_rate);
    if (parameter.scalar_type() != at::kBFloat16) {
      parameter.sub_(change);
      continue;
    }
    const at::Generator generator = seeded(parameter.device(), i, state.step.item<std::int64_t>());
    parameter.copy_(round_stochastically(parameter.to(at::kFloat).sub_(change), generator));
  }
}

std::vector<StateEntry> Adafactor::state() {
  std::vector<StateEntry> entries;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    entries.push_back({"step", i, &states_[i].step, /*host_number=*/true});
    entries.push_back({"exp_avg_sq_row", i, &states_[i].row});
    entries.push_back({"exp_avg_sq_col", i, &states_[i].col});
    entries.push_back({"exp_avg_sq", i, &states_[i].square});
  }
  return entries;
}

}  // namespace zerostall::train
