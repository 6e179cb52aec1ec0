// Loss scaling and its overflow check, and the models in fp16. Sources: reference-step.md A.1, row B.1 #28.
#include "scenarios/train/grad_scaler.h"

#include <limits>

#include "tests/fixes/host_waits.h"
#include "tests/scenarios/tiny_training.h"

namespace zerostall::train {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

// Keeps the contract of StepInput::found_inf: where it is non-zero nothing changes, the step count neither.
struct Momentum {
  at::Tensor parameter, velocity = at::zeros_like(parameter), steps = at::zeros({1}, parameter.options());

  void step(const StepInput& input) {
    const at::NoGradGuard no_grad;
    at::Tensor velocity_now = velocity * 0.9 + parameter.grad(), steps_now = steps + 1;
    at::Tensor parameter_now = parameter - 0.1 * velocity_now / steps_now;
    const auto keep = [&](at::Tensor& old, const at::Tensor& fresh) {
      old.copy_(input.found_inf.defined() ? at::where(input.found_inf != 0, old, fresh) : fresh);
    };
    keep(parameter, parameter_now);
    keep(velocity, velocity_now);
    keep(steps, steps_now);
  }
};

// One parameter whose gradient in update i is slopes[i].
struct Outcome {
  std::vector<at::Tensor> weights;
  std::vector<std::int64_t> skipped;
  float scale;
};
Outcome train_with(const std::vector<float>& slopes, FixesOn fixes, std::int64_t undone_at = -1) {
  GradScaler scaler(at::kCPU, &fixes, {.init_scale = 8, .growth_interval = 3});
  Momentum optimizer{.parameter = at::ones({4}).requires_grad_()};
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    if (static_cast<std::int64_t>(i) == undone_at) fixes.deferred_finite_check = false;
    optimizer.parameter.mutable_grad().reset();
    scaler.scale((optimizer.parameter * slopes[i]).sum()).backward();
    scaler.unscale({optimizer.parameter});
    StepInput input;
    if (scaler.may_step(input)) optimizer.step(input);
    scaler.update(static_cast<std::int64_t>(i));
  }
  scaler.finish();
  return {.weights = {optimizer.parameter, optimizer.velocity, optimizer.steps},
          .skipped = scaler.skipped(),
          .scale = scaler.scale_tensor().item<float>()};
}

TEST(GradScaler, UnscalesExactlyByThePowerOfTwo) {
  const Outcome plain = train_with({0.25f}, {});
  EXPECT_FLOAT_EQ(plain.weights[1][0].item<float>(), 0.25f);
  EXPECT_EQ(plain.scale, 8);
}

TEST(GradScaler, GrowsAfterTheIntervalAndBacksOffAtAnOverflow) {
  EXPECT_EQ(train_with({1, 1, 1}, {}).scale, 16);
  EXPECT_EQ(train_with({1, 1, kInf}, {}).scale, 4);
  EXPECT_EQ(train_with({1, 1, kInf, 1, 1}, {}).scale, 4) << "the interval starts anew";
  EXPECT_EQ(train_with({1, 1, kInf, 1, 1, 1}, {}).scale, 8);
}

TEST(GradScaler, AnOverflowSkipsTheStep) {
  const Outcome overflow = train_with({1, kInf, 1}, {});
  EXPECT_EQ(overflow.skipped, (std::vector<std::int64_t>{1}));
  EXPECT_EQ(overflow.weights[2].item<float>(), 2);
  expect_same(overflow.weights, train_with({1, 1}, {}).weights);
}

TEST(GradScaler, WeightsAreTheSameWithTheFixWithAndWithoutOverflows) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::vector<float>& slopes : {std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
                                           std::vector<float>{kInf, 1, 2, nan, 3, 4, -kInf, 5, 6, kInf}}) {
    const Outcome blocking = train_with(slopes, {});
    const Outcome deferred = train_with(slopes, {.deferred_finite_check = true});
    const Outcome undone = train_with(slopes, {.deferred_finite_check = true}, 7);
    expect_same(blocking.weights, deferred.weights);
    expect_same(blocking.weights, undone.weights);
    EXPECT_EQ(blocking.skipped, deferred.skipped);
    EXPECT_EQ(blocking.skipped, undone.skipped);
    EXPECT_EQ(blocking.scale, deferred.scale);
    EXPECT_TRUE(blocking.weights[0].isfinite().all().item<bool>());
  }
}

HostWaits calls_per_update(FixesOn fixes) {
  GradScaler scaler(at::kCUDA, &fixes);
  at::Tensor parameter = at::ones({4}, at::TensorOptions().device(at::kCUDA)).requires_grad_();
  const auto update = [&](std::int64_t number) {
    queue_a_step(at::kCUDA);
    scaler.scale(parameter.sum()).backward();
    scaler.unscale({parameter});
    StepInput input;
    EXPECT_TRUE(scaler.may_step(input));
    EXPECT_EQ(input.found_inf.defined(), fixes.deferred_finite_check);
    scaler.update(number);
  };
  for (std::int64_t number : {0, 1, 2}) update(number);
  return host_waits_of([&] { update(3); });
}

TEST(GradScalerCuda, OneWaitPerUpdateAndNoneWithTheFix) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device, simulated or real";
  const HostWaits blocking = calls_per_update({}), deferred = calls_per_update({.deferred_finite_check = true});
  EXPECT_EQ(blocking.stream_syncs, 1);
  EXPECT_EQ(blocking.all(), 1);
  EXPECT_EQ(deferred.all(), 0);
  EXPECT_EQ(deferred.downloads, 1);
  EXPECT_EQ(deferred.uploads, 0);
}

// The same gradients as in bf16, as far as two formats of 8 and 11 bits can agree.
TEST(Fp16, TinyHasTheGradientsOfBf16) {
  for (const scenarios::Weights weights : {scenarios::Weights::int8, scenarios::Weights::fp8}) {
    TinyTraining bf16({.weights = weights}), fp16({.weights = weights, .dtype = at::kHalf});
    GradScaler scaler(at::kCPU, nullptr, {.init_scale = 1024});
    bf16.loss(0).backward();
    scaler.scale(fp16.loss(0)).backward();
    scaler.unscale(fp16.parameters());
    StepInput input;
    EXPECT_TRUE(scaler.may_step(input)) << "overflow";
    const at::Tensor a = bf16.parameters()[1].grad().flatten(), b = fp16.parameters()[1].grad().flatten();
    EXPECT_GT(a.dot(b).div(a.norm() * b.norm()).item<double>(), 0.98);
    EXPECT_FALSE(a.equal(b)) << "computed in one and the same dtype";
  }
}

TEST(Fp16Cuda, NothingWaits) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device, simulated or real";
  TinyTraining fp16({.device = at::kCUDA, .dtype = at::kHalf});
  fp16.loss(0).backward();
  EXPECT_EQ(host_waits_of([&] { fp16.loss(1).backward(); }).all(), 0);
}

}  // namespace
}  // namespace zerostall::train
