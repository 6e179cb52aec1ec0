// state-on-wrong-device: small state lies on the CPU and is uploaded each step.
// Usual code: a table or statistics that setup left on the CPU, and `statistics.to(h.device())` in forward, "to be
// safe". Every step uploads the same bytes from pageable memory and waits for them (fix bn-pinning is about this).
// Fix: move it once, at setup.
// Near miss: it does lie on the CPU and does go up in every step, but from pinned memory and non_blocking: no wait.
#include "scenarios/catalogue/scenarios.h"

namespace zerostall::scenarios::catalogue {

void state_on_wrong_device(Run& run) {
  Model model(run.device);
  at::Tensor mean = at::randn({2 * kWidth});  // 512 bytes: of two blocks, the step needs the first
  if (run.is(Variant::fixed)) mean = mean.to(run.device);
  if (run.is(Variant::near_miss)) mean = pinned(run, mean);

  each_step(run, [&](std::int64_t) {
    at::Tensor h = model.hidden(model.input);
    switch (run.variant) {
      case Variant::cause:
        h = h - mean.to(run.device).narrow(0, 0, kWidth);
        break;
      case Variant::fixed:
        h = h - mean.narrow(0, 0, kWidth);
        break;
      case Variant::near_miss:
        h = h - mean.to(run.device, /*non_blocking=*/true).narrow(0, 0, kWidth);
        break;
    }
    model.loss(h).backward();
    model.update();
  });
  run.weights = model.parameters;
}

}  // namespace zerostall::scenarios::catalogue
