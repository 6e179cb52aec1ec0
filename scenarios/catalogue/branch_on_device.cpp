// branch-on-device: a branch of the program depends on a value of the GPU.
// Usual code: `if ((h.abs().max() > limit).is_nonzero()) h = ...` in forward; `if tensor:` in Python. The host cannot
// go on before it knows the answer.
// Fix: compute both and choose on the device: torch::where.
// Near miss: an `if` on a tensor in each step, but of one that the loader left on the CPU.
#include "scenarios/catalogue/scenarios.h"

namespace zerostall::scenarios::catalogue {

void branch_on_device(Run& run) {
  constexpr double kLimit = 3;  // some values are above it
  Model model(run.device);
  const at::Tensor lengths = at::tensor({5, 2, 7, 3, 4, 1, 6}, at::kLong);

  each_step(run, [&](std::int64_t) {
    at::Tensor h = model.hidden(model.input);
    switch (run.variant) {
      case Variant::cause:
        if ((h.detach().abs().max() > kLimit).is_nonzero()) h = h * 0.5;
        break;
      case Variant::fixed:
        h = at::where(h.detach().abs().max() > kLimit, h * 0.5, h);
        break;
      case Variant::near_miss:
        if ((lengths.max() > 4).is_nonzero()) h = h * 0.5;
        break;
    }
    model.loss(h).backward();
    model.update();
  });
  run.weights = model.parameters;
}

}  // namespace zerostall::scenarios::catalogue
