// finite-check: a check for NaN or infinity is read back.
// Usual code: `if (!torch::isfinite(loss).item<bool>()) throw ...` between backward and update. So does
// torch::nn::utils::clip_grad_norm_: in C++ it returns the norm as a double, and always waits for it.
// Fix: keep the answer on the device, copy it to pinned memory and look at it a step later. A NaN is seen one step
// late. Near miss: one bool read at the same place, but a limit is asked for and no finiteness: branch-on-device.
#include <stdexcept>

#include "fixes/async_loss.h"
#include "scenarios/catalogue/scenarios.h"

namespace zerostall::scenarios::catalogue {
namespace {

at::Tensor is_broken(const at::Tensor& loss) { return at::isfinite(loss.detach()).logical_not(); }

void check(bool is_broken, Run& run) {
  if (is_broken) throw std::runtime_error("the loss is not finite: lower the learning rate");
  run.told.push_back(is_broken);
}

}  // namespace

void finite_check(Run& run) {
  Model model(run.device);
  fixes::AsyncTensorExchange answers(run.device, at::kBool);

  each_step(run, [&](std::int64_t n) {
    const at::Tensor loss = model.loss(model.hidden(model.input));
    loss.backward();
    switch (run.variant) {
      case Variant::cause:
        check(is_broken(loss).item<bool>(), run);
        break;
      case Variant::fixed:
        if (const auto previous = answers.take()) check(previous->value.item<bool>(), run);
        answers.submit(is_broken(loss), {.update = n});
        break;
      case Variant::near_miss:
        if ((loss.detach() > 100).item<bool>()) throw std::runtime_error("the loss explodes");
        break;
    }
    model.update();
  });
  if (const auto last = answers.drain()) check(last->value.item<bool>(), run);
  run.weights = model.parameters;
}

}  // namespace zerostall::scenarios::catalogue
