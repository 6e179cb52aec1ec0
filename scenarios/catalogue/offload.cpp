// offload: weights or state travel between host and device each step.
// Usual code: a block that does not fit stays on the CPU: `block.to(device)` before it is needed, `host.copy_(block)`
// after its update. Each way is a blocking copy of the whole block, with the queue empty behind it.
// Fix: pinned memory and a stream for copies: the host only queues, and the GPU computes meanwhile.
// Near miss: as much, but one way only, a backup of weights in each step: download.
#include "scenarios/catalogue/scenarios.h"

namespace zerostall::scenarios::catalogue {

void offload(Run& run) {
  constexpr std::int64_t kInner = 16384;  // 4 MiB of weights
  Model model(run.device);
  at::Tensor host = at::randn({kInner, kWidth}) * 0.01;
  if (run.is(Variant::fixed)) host = pinned(run, host);
  at::Tensor block = host.to(run.device, /*non_blocking=*/false, /*copy=*/true).requires_grad_();
  SideStream copies(run.device);

  each_step(run, [&](std::int64_t) {
    if (run.is(Variant::cause)) block = host.to(run.device, false, /*copy=*/true).requires_grad_();
    if (run.is(Variant::fixed)) {
      copies.run([&] { block.data().copy_(host, /*non_blocking=*/true); });
      copies.join();
    }
    const at::Tensor h = model.hidden(model.input);
    model.loss(h + at::matmul(at::gelu(at::linear(h, block)), block)).backward();
    model.update();
    block.data().sub_(block.grad(), /*alpha=*/1e-3);
    block.mutable_grad().reset();
    if (run.is(Variant::fixed)) {
      copies.run([&] { host.copy_(block.data(), /*non_blocking=*/true); });
    } else {
      host.copy_(block.data());
    }
  });
  run.weights = model.parameters;
  run.weights.push_back(block.detach());
}

}  // namespace zerostall::scenarios::catalogue
