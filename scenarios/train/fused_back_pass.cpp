#include "scenarios/train/fused_back_pass.h"

#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

namespace zerostall::train {

struct StepHook : torch::autograd::PostAccumulateGradHook {
  StepHook(FusedBackPass& pass, std::size_t index) : owner(pass), parameter(index) {}
  void operator()(const at::Tensor& /*tensor*/) override { owner.gradient_is_there(parameter); }
  FusedBackPass& owner;
  std::size_t parameter;
};

FusedBackPass::FusedBackPass(std::vector<at::Tensor> parameters, Optimizer& optimizer)
    : parameters_(std::move(parameters)), optimizer_(optimizer) {
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    torch::autograd::impl::set_post_acc_grad_hooks(parameters_[i], std::make_unique<StepHook>(*this, i));
}

FusedBackPass::~FusedBackPass() {
  for (const at::Tensor& parameter : parameters_) torch::autograd::impl::set_post_acc_grad_hooks(parameter, nullptr);
}

void FusedBackPass::arm(StepInput input) {
  input_ = std::move(input);
  stepped_ = 0;
  armed_ = true;
}

void FusedBackPass::disarm() {
  armed_ = false;
  input_ = {};
}

void FusedBackPass::gradient_is_there(std::size_t parameter) {
  if (!armed_) return;
  optimizer_.step_one(parameter, input_);
  parameters_[parameter].mutable_grad().reset();
  ++stepped_;
}

}  // namespace zerostall::train
