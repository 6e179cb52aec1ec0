#include "scenarios/train/ema.h"

#include <algorithm>
#include <utility>

namespace zerostall::train {

double ema_decay_at(std::int64_t update, double decay) {
  const auto s = static_cast<double>(update);
  return std::min((1 + s) / (10 + s), decay);
}

WeightAverage::WeightAverage(scenarios::Ema where, std::vector<at::Tensor> parameters, const FixesOn* fixes,
                             EmaOptions options)
    : where_(where), parameters_(std::move(parameters)), fixes_(fixes), options_(options) {
  TORCH_CHECK(where != scenarios::Ema::off, "WeightAverage: made for a run without a moving average");
  for (const at::Tensor& parameter : parameters_) {
    const at::Device home = where == scenarios::Ema::cpu ? at::Device(at::kCPU) : parameter.device();
    averages_.push_back(parameter.detach().to(home, at::kFloat, /*non_blocking=*/false, /*copy=*/true));
  }
  // Here, not when first used: allocating pinned memory waits for the device.
  if (where == scenarios::Ema::cpu && fixes != nullptr && fixes->async_ema) async_.emplace(parameters_, averages_);
}

void WeightAverage::update(std::int64_t update) {
  if (update % options_.interval != 0) return;
  const at::NoGradGuard no_grad;
  const double decay = ema_decay_at(update, options_.decay);
  if (async_ && fixes_->async_ema) return async_->update(decay);
  finish();  // the fix was undone in mid-run: first what it still holds
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    fixes::ema_step(averages_[i], parameters_[i].detach().to(averages_[i].device()), decay);
}

void WeightAverage::finish() {
  if (async_) async_->drain();
}

}  // namespace zerostall::train
