// pageable-async: a non_blocking copy of pageable memory.
// Usual code: `mask.to(device, /*non_blocking=*/true)` for what the loader did not pin. The driver must take the bytes
// before the call returns: it copies them to memory of its own, and may wait for a free piece of it.
// Fix: pin what is copied: then non_blocking holds what it says.
// Near miss: non_blocking, and nobody pinned anything, but downwards: PyTorch itself takes pinned memory for a
// non_blocking copy to the CPU. Only who reads it must wait for the copy, here after training.
#include "scenarios/catalogue/scenarios.h"

namespace zerostall::scenarios::catalogue {

void pageable_async(Run& run) {
  constexpr std::size_t kBatches = 4;
  Model model(run.device);
  const auto masks = random_batches(run, kBatches, {kRows, kWidth}, run.is(Variant::fixed));
  at::Tensor on_host[2];

  each_step(run, [&](std::int64_t n) {
    at::Tensor h = model.hidden(model.input);
    if (run.is(Variant::near_miss)) {
      on_host[n % 2] = h.detach().to(at::kCPU, /*non_blocking=*/true);
    } else {  // which one is in what memory is all that tells the two apart
      h = h * masks[static_cast<std::size_t>(n) % kBatches].to(run.device, /*non_blocking=*/true);
    }
    model.loss(h).backward();
    model.update();
  });
  run.weights = model.parameters;
}

}  // namespace zerostall::scenarios::catalogue
