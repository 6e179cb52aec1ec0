// AdamW in one kernel for many parameters (torch's fused=True): step counters on the device, nothing is read.
// Source: reference-step.md row B.1 #21b; section 0 ("Variants": fused AdamW waits no more often than AdamW).
// Host waits: none, also with a learning rate on the device, with found_inf, and after a resume. With found_inf
// non-zero the kernel changes nothing and the counters are set back, all on the device. Not bit-identical to AdamW: the
// kernel rounds less often.
#pragma once
#include "scenarios/train/adamw.h"

namespace zerostall::train {

class AdamWFused : public Optimizer {
 public:
  explicit AdamWFused(std::vector<at::Tensor> parameters, AdamWOptions options = {});
  std::vector<StateEntry> state() override;

 private:
  struct State {
    at::Tensor step, mean, square;  // step: fp32 [] on the parameter's device
  };
  void update(std::span<const std::size_t> which, const StepInput& input) override;
  void update_alike(std::span<const std::size_t> which, const StepInput& input);  // of one dtype

  std::vector<State> states_;
  AdamWOptions options_;
};

}  // namespace zerostall::train
