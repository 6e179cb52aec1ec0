// Fix `resume-steps-on-cpu`: after loading a backup, put an optimizer's step counters back on the host.
// Source: shared/design/reference-step.md row B.1 #21c.
//
// Cause: torch's AdamW keeps each parameter's step counter as a scalar tensor on the host and reads it with .item() in
// every step, which is free there. Resuming from a backup moves ALL of the optimizer's state to the train device, the
// counters too: from then on each .item() is a read from the device and waits for everything queued before, once per
// parameter and update. The same configuration waits hundreds of times more often after a resume than in a fresh run.
// Change: once, after loading, the counters alone are moved back to the host, in one copy.
// Expected effect: one stream synchronisation fewer per trained tensor and update: 2 per adapted linear, 288 on
// klein-9B. The counters are whole numbers and keep their values: weights stay bit-identical.
// Not for optimizers that want their counters on the device (fused or capturable ones): they read nothing.
//
//   optimizer.load(backup);
//   zerostall::fixes::steps_to_cpu(step_tensors_of(optimizer));
#pragma once
#include <ATen/ATen.h>

#include <vector>

namespace zerostall::fixes {

// Scalars of one dtype; undefined ones, and those on the host, are skipped. Changed in place through Tensor::set_data,
// so every handle to the same tensor sees the move. Returns how many were moved. One blocking copy for all of them: for
// setup, not for the step.
inline int steps_to_cpu(const std::vector<at::Tensor>& steps) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> away;
  for (const at::Tensor& step : steps)
    if (step.defined() && !step.is_cpu()) away.push_back(step);
  if (away.empty()) return 0;
  const at::Tensor values = at::stack(away).cpu();
  // clone: each its own memory, as it was.
  for (std::size_t i = 0; i < away.size(); ++i) away[i].set_data(values[static_cast<std::int64_t>(i)].clone());
  return static_cast<int>(away.size());
}

}  // namespace zerostall::fixes
