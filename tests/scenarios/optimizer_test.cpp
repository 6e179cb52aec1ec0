// Sources: reference-step.md row B.1 #20, section G. Numbers worked out by hand.
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

TEST(LearningRate, WarmsUpLinearlyThenStaysConstant) {
  EXPECT_DOUBLE_EQ(learning_rate_at(0, 1, 200), 0.005);
  EXPECT_DOUBLE_EQ(learning_rate_at(99, 1, 200), 0.5);
  EXPECT_DOUBLE_EQ(learning_rate_at(199, 1, 200), 1);
  EXPECT_DOUBLE_EQ(learning_rate_at(5000, 1, 200), 1);
  EXPECT_DOUBLE_EQ(learning_rate_at(0, 1, 0), 1);
}

}  // namespace
}  // namespace zerostall::train
