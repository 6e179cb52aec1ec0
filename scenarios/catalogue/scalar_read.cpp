// scalar-read: a number is read back for logging.
// Usual code: `running_loss += loss.item<float>();` once per step, after the update. The host stands still until the
// whole step has run, then begins to launch the next one.
// Fix: copy the number to pinned memory and read it a step later, when it has long arrived (fixes/async_loss.h).
// Near miss: an .item() in each step all the same, but of a tensor that lives on the CPU. Nothing is waited for.
#include "fixes/async_loss.h"
#include "scenarios/catalogue/scenarios.h"

namespace zerostall::scenarios::catalogue {

void scalar_read(Run& run) {
  Model model(run.device);
  fixes::AsyncTensorExchange losses(run.device, at::kFloat);
  const at::Tensor learning_rate = at::scalar_tensor(1e-3, at::kFloat);

  each_step(run, [&](std::int64_t n) {
    const at::Tensor loss = model.loss(model.hidden(model.input));
    loss.backward();
    model.update();
    switch (run.variant) {
      case Variant::cause:
        run.told.push_back(loss.item<float>());
        break;
      case Variant::fixed:
        if (const auto previous = losses.take()) run.told.push_back(previous->value.item<float>());
        losses.submit(loss, {.update = n});
        break;
      case Variant::near_miss:
        run.told.push_back(learning_rate.item<float>());
        break;
    }
  });
  if (const auto last = losses.drain()) run.told.push_back(last->value.item<float>());
  run.weights = model.parameters;
}

}  // namespace zerostall::scenarios::catalogue
