// Moving average of the trained weights, on the device or on the host. Source: reference-step.md A.3.11 h, row B.1 #27;
// the formula is that of diffusers' EMAModel (training_utils.py, Apache-2.0).
#pragma once
#include <ATen/ATen.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "fixes/async_ema.h"
#include "scenarios/settings.h"
#include "scenarios/train/fixes_on.h"

namespace zerostall::train {

struct EmaOptions {
  double decay = 0.999;
  std::int64_t interval = 1;  // in updates. The reference's default is 5; it was measured with 1 (section 0)
};

// min((1 + update) / (10 + update), decay), `update` counted from 0.
double ema_decay_at(std::int64_t update, double decay);

class WeightAverage {
 public:
  // Starts as a copy of the parameters, in fp32. `where` is not Ema::off. `fixes` is not owned; may be null.
  WeightAverage(scenarios::Ema where, std::vector<at::Tensor> parameters, const FixesOn* fixes,
                EmaOptions options = {});

  // After an optimizer step. On the GPU: three kernels per parameter, no wait. On the host: a blocking download per
  // parameter, so one wait each; none with fix async-ema, looked up at each call. Parameters that lie on the host
  // themselves (a CPU run, offloaded ones) cost none either.
  void update(std::int64_t update);
  // What the fix still holds back: at the end, and before the averages are saved or sampled from.
  void finish();

  const std::vector<at::Tensor>& averages() const { return averages_; }  // complete after finish()
  std::int64_t event_waits() const { return async_ ? async_->event_waits() : 0; }

 private:
  scenarios::Ema where_;
  std::vector<at::Tensor> parameters_, averages_;
  const FixesOn* fixes_;
  EmaOptions options_;
  std::optional<fixes::AsyncEma> async_;
};

}  // namespace zerostall::train
