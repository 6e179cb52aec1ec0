// tensor-from-host: a tensor is built from numbers of the host.
// Usual code: `torch::tensor({0.5f, 2.0f}, device)` in forward, for a few factors or sizes. It is built on the CPU and
// uploaded, from pageable memory and blocking: a wait for 8 bytes.
// Fix: build it once, before training, where the numbers do not change; else pass plain numbers to the arithmetic.
// Near miss: tensors built on the device in each step, by kernels: the numbers travel as arguments of the launch.
#include "scenarios/catalogue/scenarios.h"

namespace zerostall::scenarios::catalogue {

void tensor_from_host(Run& run) {
  Model model(run.device);
  const auto on_device = at::TensorOptions(at::kFloat).device(run.device);
  const at::Tensor built_once = at::tensor({0.5f, 2.0f}, on_device);

  each_step(run, [&](std::int64_t) {
    at::Tensor h = model.hidden(model.input);
    at::Tensor factors;
    switch (run.variant) {
      case Variant::cause:
        factors = at::tensor({0.5f, 2.0f}, on_device);
        break;
      case Variant::fixed:
        factors = built_once;
        break;
      case Variant::near_miss:
        factors = at::full({2}, 0.5, on_device) + at::arange(2, on_device) * 1.5;
        break;
    }
    h = h * factors.select(0, 0) + model.input * factors.select(0, 1);
    model.loss(h).backward();
    model.update();
  });
  run.weights = model.parameters;
}

}  // namespace zerostall::scenarios::catalogue
