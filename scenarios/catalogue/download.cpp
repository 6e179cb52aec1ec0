// download: a result is copied to the host.
// Usual code: `predictions.push_back(output.cpu());` in the loop, for a metric or a file. A blocking copy to pageable
// memory.
// Fix: copy into pinned memory, non_blocking with an event, and take it a step later (fixes/async_loss.h does that for
// any shape).
// Near miss: one number of the result instead of all: that is scalar-read, and has other fixes.
#include "fixes/async_loss.h"
#include "scenarios/catalogue/scenarios.h"

namespace zerostall::scenarios::catalogue {

void download(Run& run) {
  Model model(run.device);
  fixes::AsyncTensorExchange results(run.device, at::kFloat, {kRows, kOutputs});
  const auto tell = [&](const at::Tensor& on_host) { run.told.push_back(on_host.sum().item<float>()); };

  each_step(run, [&](std::int64_t n) {
    const at::Tensor h = model.hidden(model.input);
    const at::Tensor output = model.predict(h).detach();
    model.loss(h).backward();
    model.update();
    switch (run.variant) {
      case Variant::cause:
        tell(output.cpu());
        break;
      case Variant::fixed:
        if (const auto previous = results.take()) tell(previous->value);
        results.submit(output, {.update = n});
        break;
      case Variant::near_miss:
        tell(output.select(0, 0).select(0, 0).cpu());
        break;
    }
  });
  if (const auto last = results.drain()) tell(last->value);
  run.weights = model.parameters;
}

}  // namespace zerostall::scenarios::catalogue
