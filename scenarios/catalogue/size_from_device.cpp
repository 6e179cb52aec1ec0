// size-from-device: a size computed on the GPU is wanted on the host.
// Usual code: sequences packed without padding: `offsets = lengths.cumsum(0)`, then `offsets[-1].item<int64_t>()` as
// the size of the packed batch; or repeat_interleave without output_size, which does the same inside. Fix: the loader
// knows the lengths: add them up on the CPU, before they are uploaded. Near miss: the same cumsum, used on the device
// only: as positions, to mask what is behind the end.
#include "scenarios/catalogue/scenarios.h"

namespace zerostall::scenarios::catalogue {

void size_from_device(Run& run) {
  Model model(run.device);
  const at::Tensor host_lengths = at::tensor({5, 2, 7, 3, 4, 1, 6}, at::kLong);
  const at::Tensor lengths = host_lengths.to(run.device);
  const at::Tensor positions = at::arange(kRows, lengths.options());

  each_step(run, [&](std::int64_t) {
    at::Tensor h = model.hidden(model.input);
    switch (run.variant) {
      case Variant::cause:
        h = h.narrow(0, 0, lengths.cumsum(0).select(0, -1).item<std::int64_t>());
        break;
      case Variant::fixed:
        h = h.narrow(0, 0, host_lengths.sum().item<std::int64_t>());
        break;
      case Variant::near_miss:
        h = h * (positions < lengths.cumsum(0).select(0, -1)).unsqueeze(1);
        break;
    }
    model.loss(h).backward();
    model.update();
  });
  run.weights = model.parameters;
}

}  // namespace zerostall::scenarios::catalogue
