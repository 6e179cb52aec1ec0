// pageable-batch: the batch is uploaded from pageable memory.
// Usual code: `auto x = batch.data.to(device);` at the head of the loop, with a data loader that does not pin. The copy
// waits for all work queued before it: the last step must be done before this one can begin to be launched.
// Fix: batches in pinned memory, and non_blocking. Both: pinned alone still waits, non_blocking alone is
// pageable-async. Near miss: a new batch in each step, from pageable memory once: the data set lies on the device, and
// so do the indexes that choose from it.
#include "scenarios/catalogue/scenarios.h"

namespace zerostall::scenarios::catalogue {

void pageable_batch(Run& run) {
  constexpr std::size_t kBatches = 4;
  Model model(run.device);
  const auto batches = random_batches(run, kBatches, {kRows, kWidth}, run.is(Variant::fixed));
  const at::Tensor data_set = at::cat(batches).to(run.device);
  const auto on_device = at::TensorOptions(at::kLong).device(run.device);

  each_step(run, [&](std::int64_t n) {
    const auto at = static_cast<std::size_t>(n) % kBatches;
    at::Tensor x;
    switch (run.variant) {
      case Variant::cause:
        x = batches[at].to(run.device);
        break;
      case Variant::fixed:
        x = batches[at].to(run.device, /*non_blocking=*/true);
        break;
      case Variant::near_miss:
        x = data_set.index_select(0, at::randint(kRows * kBatches, {kRows}, on_device));
        break;
    }
    model.loss(model.hidden(x)).backward();
    model.update();
  });
  run.weights = model.parameters;
}

}  // namespace zerostall::scenarios::catalogue
