// host-table-by-device-index: a table on the host is indexed by a number of the GPU.
// Usual code: `sigmas.index({t})` with the schedule's table on the CPU and the timestep drawn on the device. Nothing
// looks like a wait; indexing asks the device for the number.
// Fix: the table on the device too, and index_select (an index by a device scalar, `table.index({t})`, would wait there
// as well).
// Near miss: the same line, with the timestep drawn on the CPU.
#include "scenarios/catalogue/scenarios.h"

namespace zerostall::scenarios::catalogue {

void host_table_by_device_index(Run& run) {
  constexpr std::int64_t kTimesteps = 100;
  Model model(run.device);
  const at::Tensor sigmas = at::linspace(0.1, 1, kTimesteps);
  const at::Tensor device_sigmas = sigmas.to(run.device);
  const auto numbers = at::TensorOptions(at::kLong);

  each_step(run, [&](std::int64_t) {
    const at::Tensor h = model.hidden(model.input);
    at::Tensor sigma;
    switch (run.variant) {
      case Variant::cause:
        sigma = sigmas.index({at::randint(kTimesteps, {}, numbers.device(run.device))});
        break;
      case Variant::fixed:
        sigma = device_sigmas.index_select(0, at::randint(kTimesteps, {}, numbers.device(run.device)));
        break;
      case Variant::near_miss:
        sigma = sigmas.index({at::randint(kTimesteps, {}, numbers)});
        break;
    }
    model.loss(h * sigma).backward();
    model.update();
  });
  run.weights = model.parameters;
}

}  // namespace zerostall::scenarios::catalogue
