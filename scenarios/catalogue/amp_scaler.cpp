// amp-scaler: the gradient scaler reads its overflow flag.
// Usual code: fp16 with a loss scale; `if (found_inf.item<float>() == 0) optimizer.step();` between backward and update
// (GradScaler.step of Python does it). The host stops in the middle of each step.
// Fix: a fused optimizer takes the flag on the device and skips the update there.
// Near miss: no scaler (bf16 needs none). A norm decides at the same place whether to update: branch-on-device.
#include "scenarios/catalogue/scenarios.h"

namespace zerostall::scenarios::catalogue {
namespace {

// What GradScaler keeps, and AdamW as one fused kernel.
class ScaledAdamW {
 public:
  ScaledAdamW(const Model& model, at::Device device) : parameters_(model.parameters) {
    for (const at::Tensor& parameter : parameters_) {
      means_.push_back(at::zeros_like(parameter));
      squares_.push_back(at::zeros_like(parameter));
      steps_.push_back(at::zeros({}, device));
    }
    scale = at::full({}, 1024.0, device);
    growth_ = at::zeros({}, at::TensorOptions(at::kInt).device(device));
    found_inf = at::zeros({}, device);
  }

  void unscale() {
    found_inf.zero_();
    at::_amp_foreach_non_finite_check_and_unscale_(gradients(), found_inf, scale.reciprocal());
  }

  void step(const std::optional<at::Tensor>& skip_where) {
    const at::NoGradGuard no_grad;
    at::_foreach_add_(steps_, 1);
    at::_fused_adamw_(parameters_, gradients(), means_, squares_, {}, steps_, /*lr=*/1e-3, 0.9, 0.999, 0.01, 1e-8,
                      /*amsgrad=*/false, /*maximize=*/false, {}, skip_where);
    for (at::Tensor& count : steps_)
      if (skip_where) count.sub_(*skip_where);
  }

  void finish() {
    at::_amp_update_scale_(scale, growth_, found_inf, 2.0, 0.5, 2000);
    for (at::Tensor& parameter : parameters_) parameter.mutable_grad().reset();
  }

  std::vector<at::Tensor> gradients() const {
    std::vector<at::Tensor> all;
    for (const at::Tensor& parameter : parameters_) all.push_back(parameter.grad());
    return all;
  }

  at::Tensor scale, found_inf;

 private:
  std::vector<at::Tensor> parameters_, means_, squares_, steps_;
  at::Tensor growth_;
};

}  // namespace

void amp_scaler(Run& run) {
  const Model model(run.device);
  ScaledAdamW optimizer(model, run.device);

  each_step(run, [&](std::int64_t) {
    const at::Tensor loss = model.loss(model.hidden(model.input));
    (run.is(Variant::near_miss) ? loss : loss * optimizer.scale).backward();
    if (!run.is(Variant::near_miss)) optimizer.unscale();
    if (run.is(Variant::cause) && optimizer.found_inf.item<float>() == 0) optimizer.step({});
    if (run.is(Variant::fixed)) optimizer.step(optimizer.found_inf);
    if (run.is(Variant::near_miss) && !(at::stack(at::_foreach_norm(optimizer.gradients())).norm() > 100).is_nonzero())
      optimizer.step({});
    optimizer.finish();
  });
  run.weights = model.parameters;
}

}  // namespace zerostall::scenarios::catalogue
