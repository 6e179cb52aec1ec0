// How often a step of each optimizer makes the host wait. Source: reference-step.md rows B.1 #20 to #23, section 0
// ("Variants").
#include <gtest/gtest.h>

#include "fixes/resume_steps_on_cpu.h"
#include "scenarios/train/fused_back_pass.h"
#include "tests/fixes/host_waits.h"

namespace zerostall::train {
namespace {

using scenarios::OptimizerKind;

constexpr int kParameters = 6;

struct Trainee {
  std::vector<at::Tensor> parameters;
  std::unique_ptr<Optimizer> optimizer;

  explicit Trainee(OptimizerKind kind, at::ScalarType dtype = at::kFloat) {
    for (int i = 0; i < kParameters; ++i)
      parameters.push_back(at::zeros({16, 8}, at::TensorOptions().dtype(dtype).device(at::kCUDA)).requires_grad_());
    optimizer = make_optimizer(kind, parameters);
  }
  void gradients() {
    for (const at::Tensor& p : parameters) p.mutable_grad() = at::ones_like(p.detach());
  }
  // As upstream loads a backup.
  void resume(bool steps_on_cpu) {
    std::vector<at::Tensor> steps;
    for (const StateEntry& entry : optimizer->state()) {
      if (!entry.tensor->defined() || entry.host_number) continue;
      *entry.tensor = entry.tensor->to(at::kCUDA);
      if (entry.kind == "step") steps.push_back(*entry.tensor);
    }
    if (steps_on_cpu && optimizer->reads_steps()) fixes::steps_to_cpu(steps);
    optimizer->state_replaced();
  }
  // Of the third step: clipping, step, gradients away.
  std::int64_t waits(bool rate_on_device = false, bool found_inf = false) {
    const StepInput input{
        .learning_rate = 1e-3,
        .learning_rate_tensor = rate_on_device ? at::full({}, 1e-3, at::device(at::kCUDA)) : at::Tensor(),
        .found_inf = found_inf ? at::zeros({1}, at::kCUDA) : at::Tensor()};
    std::int64_t last = 0;
    for (int step = 0; step < 3; ++step) {
      gradients();
      last = host_waits_of([&] {
               clip_grad_norm(parameters, 1);
               optimizer->step(input);
               optimizer->zero_grad();
             }).all();
    }
    return last;
  }
};

#define NEEDS_A_GPU() \
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device, simulated or real"

TEST(OptimizerWaitsCuda, NoneInAFreshRun) {
  NEEDS_A_GPU();
  EXPECT_EQ(Trainee(OptimizerKind::adamw).waits(), 0);
  EXPECT_EQ(Trainee(OptimizerKind::adamw_fused).waits(), 0);
  EXPECT_EQ(Trainee(OptimizerKind::adafactor).waits(), 0);
  EXPECT_EQ(Trainee(OptimizerKind::adafactor, at::kBFloat16).waits(), 0);
}

TEST(OptimizerWaitsCuda, OneAParameterWithTheLearningRateOnTheDevice) {
  NEEDS_A_GPU();
  EXPECT_EQ(Trainee(OptimizerKind::adamw).waits(true), kParameters);
  EXPECT_EQ(Trainee(OptimizerKind::adamw_fused).waits(true), 0);
  EXPECT_EQ(Trainee(OptimizerKind::adafactor, at::kBFloat16).waits(true), 0);
}

TEST(OptimizerWaitsCuda, NoneWithFoundInf) {
  NEEDS_A_GPU();
  Trainee adamw(OptimizerKind::adamw);
  EXPECT_EQ(adamw.waits(false, true), 0);
  EXPECT_EQ(Trainee(OptimizerKind::adamw).waits(true, true), 0);
  EXPECT_EQ(Trainee(OptimizerKind::adamw_fused).waits(false, true), 0);
  EXPECT_EQ(Trainee(OptimizerKind::adamw_fused).waits(true, true), 0);
  // The counters come back to the host once.
  adamw.gradients();
  const StepInput input{.learning_rate = 1e-3, .learning_rate_tensor = {}, .found_inf = {}};
  EXPECT_EQ(host_waits_of([&] { adamw.optimizer->step(input); }).all(), 1);
  EXPECT_EQ(adamw.waits(), 0);
}

TEST(OptimizerWaitsCuda, TheResumeTrapAndItsFix) {
  NEEDS_A_GPU();
  for (const bool fixed : {false, true}) {
    Trainee adamw(OptimizerKind::adamw), fused(OptimizerKind::adamw_fused), adafactor(OptimizerKind::adafactor);
    for (Trainee* trainee : {&adamw, &fused, &adafactor}) {
      trainee->waits();
      trainee->resume(fixed);
    }
    EXPECT_EQ(adamw.waits(), fixed ? 0 : kParameters);
    EXPECT_EQ(fused.waits(), 0);
    EXPECT_EQ(adafactor.waits(), 0);
    EXPECT_EQ(fused.optimizer->state()[0].tensor->is_cuda(), true) << "the fix is not for it";
  }
}

TEST(OptimizerWaitsCuda, NoneInAFusedBackPass) {
  NEEDS_A_GPU();
  Trainee trainee(OptimizerKind::adafactor, at::kBFloat16);
  FusedBackPass pass(trainee.parameters, *trainee.optimizer);
  for (int step = 0; step < 3; ++step) {
    at::Tensor x = at::ones({4, 8}, at::TensorOptions().dtype(at::kBFloat16).device(at::kCUDA)), sum = x.sum();
    for (const at::Tensor& p : trainee.parameters) sum = sum + at::linear(x, p).sum();
    const HostWaits waits = host_waits_of([&] {
      pass.arm({.learning_rate = 1e-3, .learning_rate_tensor = {}, .found_inf = {}});
      sum.backward();
      pass.disarm();
    });
    EXPECT_EQ(waits.all(), 0) << step;
    EXPECT_EQ(pass.stepped(), trainee.parameters.size());
  }
}

}  // namespace
}  // namespace zerostall::train
