// Loss scaling for fp16 with torch's GradScaler semantics, and its overflow check. Source: reference-step.md A.1, row
// B.1 #28; defaults are torch.amp.GradScaler's. The reference uses it only where all trained parameters are fp32 (A.1).
//
//   at::Tensor loss = ...;  scaler.scale(loss).backward();            // each micro-step
//   scaler.unscale(parameters);                                       // once per update, then clip
//   if (scaler.may_step(input)) optimizer.step(input);
//   scaler.update(number);
#pragma once
#include <ATen/ATen.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "fixes/deferred_finite_check.h"
#include "scenarios/train/fixes_on.h"
#include "scenarios/train/optimizer.h"

namespace zerostall::train {

struct GradScalerOptions {
  double init_scale = 65536, growth_factor = 2, backoff_factor = 0.5;
  std::int64_t growth_interval = 2000;  // updates without overflow until the scale grows
};

class GradScaler {
 public:
  // Scale and flags live on `device`. `fixes` is not owned; may be null.
  GradScaler(at::Device device, const FixesOn* fixes, GradScalerOptions options = {});

  at::Tensor scale(const at::Tensor& loss) const { return loss * scale_; }

  // Divides all defined gradients by the scale and notes on the device whether one is inf or NaN. May be called for a
  // part of the parameters at a time (fused back pass): notes add up until update().
  void unscale(const std::vector<at::Tensor>& parameters);

  // Whether the optimizer may be called. Without a fix: reads the flag on the host, one wait (per call), and false
  // after an overflow. With deferred-finite-check: always true, no wait, and `input.found_inf` is set: the step must
  // change nothing where it is non-zero.
  bool may_step(StepInput& input);

  // At the end of the update: the scale grows or backs off, the flag starts anew. No wait.
  void update(std::int64_t update);
  // What the fix still holds back: after the last update, and before a backup.
  void finish();

  const std::vector<std::int64_t>& skipped() const { return skipped_; }  // updates that overflowed, as far as known
  const at::Tensor& scale_tensor() const { return scale_; }              // fp32 scalar on the device
  std::int64_t event_waits() const { return check_ ? check_->event_waits() : 0; }

 private:
  bool deferred() const { return check_.has_value() && fixes_->deferred_finite_check; }
  void note(std::optional<fixes::DeferredFiniteCheck::Answer> answer);

  const FixesOn* fixes_;
  GradScalerOptions options_;
  at::Tensor scale_, growth_tracker_;
  at::Tensor found_inf_;  // fp32 [1]
  bool skip_ = false;     // read on the host in this update
  std::optional<fixes::DeferredFiniteCheck> check_;
  std::vector<std::int64_t> skipped_;
};

}  // namespace zerostall::train
