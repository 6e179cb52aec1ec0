#include "scenarios/train/grad_scaler.h"

namespace zerostall::train {

GradScaler::GradScaler(at::Device device, const FixesOn* fixes, GradScalerOptions options)
    : fixes_(fixes),
      options_(options),
      scale_(at::full({}, options.init_scale, at::TensorOptions().dtype(at::kFloat).device(device))),
      growth_tracker_(at::zeros({}, at::TensorOptions().dtype(at::kInt).device(device))),
      found_inf_(at::zeros({1}, at::TensorOptions().dtype(at::kFloat).device(device))) {
  if (fixes != nullptr && fixes->deferred_finite_check) check_.emplace(device);
}

void GradScaler::unscale(const std::vector<at::Tensor>& parameters) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& parameter : parameters)
    if (parameter.grad().defined()) gradients.push_back(parameter.grad());
  if (gradients.empty()) return;
  // As torch: the reciprocal is taken in double.
  const at::Tensor inverse = scale_.to(at::kDouble).reciprocal().to(at::kFloat);
  at::_amp_foreach_non_finite_check_and_unscale_(gradients, found_inf_, inverse);
}

bool GradScaler::may_step(StepInput& input) {
  if (deferred()) {
    input.found_inf = found_inf_;
    return true;
  }
  const bool overflowed = found_inf_.item<float>() != 0;
  skip_ = skip_ || overflowed;
  return !overflowed;
}

void GradScaler::update(std::int64_t update) {
  const at::NoGradGuard no_grad;
  if (deferred()) {
    note(check_->submit(found_inf_, update));
  } else {
    finish();  // the fix was undone in mid-run: first what it still holds
    if (skip_) skipped_.push_back(update);
    skip_ = false;
  }
  at::_amp_update_scale_(scale_, growth_tracker_, found_inf_, options_.growth_factor, options_.backoff_factor,
                         options_.growth_interval);
  // A new tensor, filled on the device: optimizer and copy may still hold the old one.
  found_inf_ = at::zeros_like(found_inf_);
}

void GradScaler::finish() {
  if (check_) note(check_->drain());
}

void GradScaler::note(std::optional<fixes::DeferredFiniteCheck::Answer> answer) {
  if (answer && answer->overflowed) skipped_.push_back(answer->update);
}

}  // namespace zerostall::train
