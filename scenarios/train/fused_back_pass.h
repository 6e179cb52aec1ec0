// Fused back pass: each parameter is stepped within the backward pass, as soon as its gradient is complete, and the
// gradient is freed at once, so that never all gradients exist at the same time (fine-tune presets, reference-step.md
// section G). Source: reference-step.md A.1 (hooks), B.1 #28.
//
// Clipping by the norm over all gradients needs all of them, so there is none: the trainer leaves clip_grad_norm out.
// Host waits: those of Optimizer::step_one, on the thread of the backward pass.
//
//   FusedBackPass fused(parameters, *optimizer);
//   fused.arm({.learning_rate = lr});     // before the backward pass of an update's last micro-step
//   loss.backward();                      // steps and frees
//   fused.disarm();                       // the gradients of the next micro-steps accumulate
//
// A parameter must be used in one place of the model (one accumulation per backward pass), else it would be stepped
// with a part of its gradient.
#pragma once
#include "scenarios/train/optimizer.h"

namespace zerostall::train {

class FusedBackPass {
 public:
  // Same parameters, in the same order, as the optimizer's; both outlive this. Replaces hooks after accumulation that
  // the parameters may have.
  FusedBackPass(std::vector<at::Tensor> parameters, Optimizer& optimizer);
  ~FusedBackPass();  // takes the hooks away
  FusedBackPass(const FusedBackPass&) = delete;
  FusedBackPass& operator=(const FusedBackPass&) = delete;

  void arm(StepInput input);
  void disarm();
  std::size_t stepped() const { return stepped_; }  // parameters since arm()

 private:
  friend struct StepHook;
  void gradient_is_there(std::size_t parameter);

  std::vector<at::Tensor> parameters_;
  Optimizer& optimizer_;
  bool armed_ = false;
  StepInput input_;
  std::size_t stepped_ = 0;
};

}  // namespace zerostall::train
