// Sources: reference-step.md rows B.1 #22, #23; formulas of arXiv 1804.04235. Numbers worked out by hand.
#include "scenarios/train/adafactor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "scenarios/train/fused_back_pass.h"

namespace zerostall::train {
namespace {

StepInput plain(double learning_rate) {
  return {.learning_rate = learning_rate, .learning_rate_tensor = {}, .found_inf = {}};
}

TEST(Adafactor, AVectorsFirstStepIsTheSignOfTheGradient) {
  const at::Tensor p = at::tensor({1.0f, 2.0f, -3.0f}).requires_grad_();
  Adafactor optimizer({p});
  p.mutable_grad() = at::tensor({0.5f, -4.0f, 0.01f});
  optimizer.step(plain(0.1));
  // decay 1 - 1^-0.8 = 0, so V = g^2 and u = g / |g|; its rms is 1: no clipping.
  EXPECT_TRUE(p.allclose(at::tensor({0.9f, 2.1f, -3.1f}), 1e-6, 1e-6));
  p.mutable_grad() = at::tensor({1.0f, -4.0f, 0.01f});
  optimizer.step(plain(0.1));
  // fresh = 2^-0.8 = 0.5743492; V0 = 0.25 * 0.4256508 + 0.5743492 = 0.6807619, u0 = 1.2120018, others 1;
  // rms = sqrt((1.4689484 + 2) / 3) = 1.0753199: p0 = 0.9 - 0.1 * 1.2120018 / 1.0753199, p1 = 2.1 + 0.1 / 1.0753199
  EXPECT_TRUE(p.allclose(at::tensor({0.7872892f, 2.1929956f, -3.1929956f}), 0, 2e-6));
}

TEST(Adafactor, AMatrixKeepsItsRowsAndColumnsAlone) {
  const at::Tensor p = at::zeros({2, 3}).requires_grad_();
  Adafactor optimizer({p});
  p.mutable_grad() = at::tensor({1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f}).view({2, 3});
  optimizer.step(plain(1));
  // R = {14/3, 77/3}, mean 91/6; C = {17/2, 29/2, 45/2}; u = g / sqrt(R_i / mean R * C_j):
  // u = .6183470 .9468640 1.1401754 / 1.0546563 1.0093606 .9723454; rms .9684... < 1: not clipped.
  const std::vector<StateEntry> state = optimizer.state();
  EXPECT_TRUE(state[1].tensor->allclose(at::tensor({14 / 3.0f, 77 / 3.0f})));
  EXPECT_TRUE(state[2].tensor->allclose(at::tensor({8.5f, 14.5f, 22.5f})));
  EXPECT_FALSE(state[3].tensor->defined());
  const double mean = 91 / 6.0;
  const at::Tensor u = at::empty({2, 3});
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      u[i][j].fill_((3 * i + j + 1) / std::sqrt((i == 0 ? 14 / 3.0 : 77 / 3.0) / mean *
                                                (8.5 + (j == 0   ? 0
                                                        : j == 1 ? 6
                                                                 : 14))));
  const double rms = std::sqrt(u.square().mean().item<double>());
  EXPECT_TRUE(p.allclose(-u / std::max(1.0, rms), 0, 2e-6));
}

TEST(Adafactor, RoundsBf16StochasticallyWithoutBias) {
  // 1/4 of the way from 1 to the next bf16 number, 1 + 2^-7.
  const at::Tensor values = at::full({40000}, 1 + std::ldexp(0.25, -7), at::kFloat);
  const at::Generator generator = at::globalContext().defaultGenerator(at::kCPU).clone();
  const at::Tensor rounded = round_stochastically(values, generator).to(at::kFloat);
  EXPECT_TRUE(at::logical_or(rounded.eq(1), rounded.eq(1 + std::ldexp(1.0, -7))).all().item<bool>());
  EXPECT_NEAR(rounded.gt(1).to(at::kDouble).mean().item<double>(), 0.25, 0.01);
  EXPECT_TRUE(round_stochastically(-values, generator).to(at::kFloat).lt(-1).any().item<bool>());
  const at::Tensor exact = at::tensor({0.0f, -2.5f, INFINITY, 384.0f});
  EXPECT_TRUE(round_stochastically(exact, generator).to(at::kFloat).equal(exact));
}

TEST(Adafactor, ABf16ParameterMovesByLessThanItsSpacingOnAverage) {
  const at::Tensor p = at::ones({20000}, at::kBFloat16).requires_grad_();
  Adafactor optimizer({p});
  for (int update = 0; update < 4; ++update) {
    p.mutable_grad() = at::full({20000}, 0.5, at::kBFloat16);
    optimizer.step(plain(1e-4));  // the spacing below 1 is 2^-8 = 39e-4: to nearest nothing would ever move
  }
  EXPECT_NEAR(p.detach().to(at::kDouble).mean().item<double>(), 1 - 4e-4, 5e-5);
}

TEST(Adafactor, RefusesFoundInf) {
  const at::Tensor p = at::ones({2}).requires_grad_();
  Adafactor optimizer({p});
  p.mutable_grad() = at::ones({2});
  EXPECT_THROW(optimizer.step({.learning_rate = 1, .learning_rate_tensor = {}, .found_inf = at::zeros({1})}),
               c10::Error);
}

// A chain of layers in bf16, stepped after the backward pass or within it.
std::vector<at::Tensor> trained(bool fused, int accumulation) {
  at::manual_seed(3);
  std::vector<at::Tensor> layers;
  for (int i = 0; i < 3; ++i) layers.push_back((at::randn({8, 8}) / 3).to(at::kBFloat16).requires_grad_());
  Adafactor optimizer(layers);
  std::optional<FusedBackPass> pass;
  if (fused) pass.emplace(layers, optimizer);
  for (int step = 0; step < 5 * accumulation; ++step) {
    const bool last = step % accumulation == accumulation - 1;
    at::Tensor x = at::randn({4, 8}).to(at::kBFloat16);
    for (const at::Tensor& layer : layers) x = at::linear(x, layer).tanh();
    if (fused && last) pass->arm(plain(1e-2));
    x.square().sum().backward();
    if (fused && last) {
      EXPECT_EQ(pass->stepped(), 3u);
      pass->disarm();
    } else if (last) {
      optimizer.step(plain(1e-2));
      optimizer.zero_grad();
    }
    for (const at::Tensor& layer : layers) EXPECT_EQ(layer.grad().defined(), !last);
  }
  return layers;
}

TEST(FusedBackPass, StepsEachParameterOnceWithItsWholeGradientAndFreesIt) {
  for (const int accumulation : {1, 2}) {
    const std::vector<at::Tensor> after = trained(false, accumulation), within = trained(true, accumulation);
    for (std::size_t i = 0; i < after.size(); ++i) EXPECT_TRUE(after[i].equal(within[i])) << i;
  }
}

TEST(FusedBackPass, TakesItsHooksAway) {
  const at::Tensor p = at::ones({2}).requires_grad_();
  Adafactor optimizer({p});
  {
    FusedBackPass pass({p}, optimizer);
    pass.arm(plain(1));
  }
  p.sum().backward();
  EXPECT_TRUE(p.grad().defined());
  EXPECT_TRUE(p.detach().equal(at::ones({2})));
}

}  // namespace
}  // namespace zerostall::train
