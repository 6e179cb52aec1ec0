// finite-check: a check for NaN or infinity is read back.
// Usual code: `torch::nn::utils::clip_grad_norm_(parameters, 1.0, 2.0, /*error_if_nonfinite=*/true)`. In C++ that
// function waits in any case: it returns the norm as a double. The host stops between backward and update.
// Fix: clip on the device; copy the norm to pinned memory and look at it a step later. A NaN is seen one step late.
// Near miss: the same place, one bool of the norm read, but a limit is asked for and no finiteness: branch-on-device.
#include <torch/nn/utils/clip_grad.h>

#include <cmath>
#include <stdexcept>

#include "fixes/async_loss.h"
#include "scenarios/catalogue/scenarios.h"

namespace zerostall::scenarios::catalogue {
namespace {

constexpr double kMostNorm = 1.0;

// The same arithmetic as clip_grad_norm_, with nothing read back. Returns the norm before, on the device.
at::Tensor clip_on_device(const std::vector<at::Tensor>& parameters) {
  std::vector<at::Tensor> norms;
  for (const at::Tensor& parameter : parameters) norms.push_back(parameter.grad().data().norm(2.0));
  const at::Tensor norm = at::stack(norms).norm(2.0);
  const at::Tensor factor = at::clamp(kMostNorm / (norm + 1e-6), std::nullopt, 1.0);
  for (const at::Tensor& parameter : parameters) parameter.grad().data().mul_(factor);
  return norm;
}

void check(double norm, Run& run) {
  if (!std::isfinite(norm)) throw std::runtime_error("the gradients are not finite: lower the learning rate");
  run.told.push_back(norm);
}

}  // namespace

void finite_check(Run& run) {
  Model model(run.device);
  fixes::AsyncTensorExchange norms(run.device, at::kFloat);

  each_step(run, [&](std::int64_t n) {
    model.loss(model.hidden(model.input)).backward();
    switch (run.variant) {
      case Variant::cause:
        check(torch::nn::utils::clip_grad_norm_(model.parameters, kMostNorm, 2.0, /*error_if_nonfinite=*/true), run);
        break;
      case Variant::fixed:
        if (const auto previous = norms.take()) check(previous->value.item<float>(), run);
        norms.submit(clip_on_device(model.parameters), {.update = n});
        break;
      case Variant::near_miss:
        if ((clip_on_device(model.parameters) > 100).item<bool>()) throw std::runtime_error("the gradients explode");
        break;
    }
    model.update();
  });
  if (const auto last = norms.drain()) check(last->value.item<float>(), run);
  run.weights = model.parameters;
}

}  // namespace zerostall::scenarios::catalogue
