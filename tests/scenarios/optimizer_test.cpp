// Sources: reference-step.md rows B.1 #20, #21, section G. Numbers worked out by hand.
#include "scenarios/train/optimizer.h"

#include <gtest/gtest.h>

namespace zerostall::train {
namespace {

at::Tensor parameter(float value) { return at::full({1}, value).requires_grad_(); }

TEST(ClipGradNorm, ScalesAllGradientsByOneFactor) {
  const std::vector<at::Tensor> p{parameter(0), parameter(0), parameter(0)};
  p[0].mutable_grad() = at::full({1}, 3.0f);
  p[1].mutable_grad() = at::full({1}, -4.0f);  // the third has none
  EXPECT_FLOAT_EQ(clip_grad_norm(p, 1).item<float>(), 5);
  EXPECT_NEAR(p[0].grad().item<float>(), 0.6, 1e-6);
  EXPECT_NEAR(p[1].grad().item<float>(), -0.8, 1e-6);
  EXPECT_FALSE(p[2].grad().defined());
}

TEST(ClipGradNorm, LeavesSmallGradientsAlone) {
  const std::vector<at::Tensor> p{parameter(0)};
  p[0].mutable_grad() = at::full({1}, 0.5f);
  clip_grad_norm(p, 1);
  EXPECT_EQ(p[0].grad().item<float>(), 0.5f);
}

TEST(ClipGradNorm, NothingToClip) { EXPECT_FALSE(clip_grad_norm({parameter(1)}, 1).defined()); }

TEST(AdamW, TwoStepsByHand) {
  const at::Tensor p = parameter(1);
  AdamW optimizer({p});
  p.mutable_grad() = at::full({1}, 0.5f);
  optimizer.step({.learning_rate = 0.1, .learning_rate_tensor = {}, .found_inf = {}});
  // 1 * (1 - 0.1 * 0.01) - 0.1 * 0.5 / (sqrt(0.25) + 1e-8)
  EXPECT_NEAR(p.item<float>(), 0.899, 1e-6);
  p.mutable_grad() = at::full({1}, -1.0f);
  optimizer.step({.learning_rate = 0.1, .learning_rate_tensor = {}, .found_inf = {}});
  // 0.899 * 0.999 = 0.898101; m = 0.05 * 0.9 - 0.1 = -0.055, / 0.19 = -0.2894737; v = 0.00025 * 0.999 + 0.001 =
  // 0.00124975, / 0.001999 = 0.6251876, root 0.7906881; 0.898101 + 0.1 * 0.2894737 / 0.7906881
  EXPECT_NEAR(p.item<float>(), 0.9347114, 2e-6);
}

TEST(AdamW, CountsStepsPerParameterAndSkipsThoseWithoutGradient) {
  const at::Tensor used = parameter(1), unused = parameter(1);
  AdamW optimizer({used, unused});
  used.mutable_grad() = at::full({1}, 0.5f);
  optimizer.step({.learning_rate = 0.1, .learning_rate_tensor = {}, .found_inf = {}});
  EXPECT_EQ(unused.item<float>(), 1);
  optimizer.zero_grad();
  EXPECT_FALSE(used.grad().defined());
  unused.mutable_grad() = at::full({1}, 0.5f);
  optimizer.step({.learning_rate = 0.1, .learning_rate_tensor = {}, .found_inf = {}});
  EXPECT_NEAR(unused.item<float>(), 0.899, 1e-6) << "its first step";
}

TEST(LearningRate, WarmsUpLinearlyThenStaysConstant) {
  EXPECT_DOUBLE_EQ(learning_rate_at(0, 1, 200), 0.005);
  EXPECT_DOUBLE_EQ(learning_rate_at(99, 1, 200), 0.5);
  EXPECT_DOUBLE_EQ(learning_rate_at(199, 1, 200), 1);
  EXPECT_DOUBLE_EQ(learning_rate_at(5000, 1, 200), 1);
  EXPECT_DOUBLE_EQ(learning_rate_at(0, 1, 0), 1);
}

}  // namespace
}  // namespace zerostall::train
