// The fp8 W8A8 linear: values against a float64 product with the bound of w8a8_linear.h, and its blocking uploads.
// Sources: reference-step.md section C ("fp8 variant"), row B.1 #16, section 0 ("Variants").
#include "scenarios/train/w8a8_linear.h"
#include "tests/fixes/host_waits.h"
#include "tests/scenarios/tiny_training.h"

namespace zerostall::train {
namespace {

constexpr at::ScalarType kFp8 = at::kFloat8_e4m3fn;
constexpr double kFp32 = 1e-5;  // slack for fp32 sums, relative to the sum of absolute values

at::Tensor f64(const at::Tensor& x) { return x.detach().to(at::kFloat).to(at::kDouble); }

// Rounding error of values quantised with this scale.
at::Tensor rounding(const at::Tensor& values, const at::Tensor& scale) {
  return at::maximum(values.abs() / 16, f64(scale) / 1024);
}

struct Case {
  at::Tensor weight, x;
  W8A8Weight quantized;
  at::Tensor dequantized;  // float64
};

Case make_case(std::int64_t rows) {
  at::manual_seed(rows);
  Case c{.weight = at::randn({48, 64}),
         .x = at::randn({rows, 64}) * at::logspace(-3, 3, rows).unsqueeze(1),
         .quantized = {},
         .dequantized = {}};
  c.quantized = quantize_weight(c.weight, kFp8);
  c.dequantized = f64(c.quantized.q) * f64(c.quantized.scale);
  return c;
}

void expect_within(const at::Tensor& got, const at::Tensor& exact, const at::Tensor& allowed) {
  const at::Tensor error = (f64(got) - exact).abs();
  EXPECT_TRUE((error <= allowed).all().item<bool>()) << "worst excess " << (error - allowed).max().item<double>();
}

TEST(Fp8Linear, QuantisesByHand) {
  const W8A8Weight weight = quantize_weight(at::tensor({896.0f, -2.0f, 4.25f, 0.0f}).view({2, 2}), kFp8);
  EXPECT_EQ(weight.scale.item<float>(), 2);
  EXPECT_EQ(weight.q.scalar_type(), kFp8);
  // 2.125 lies between 2 and 2.25: to even.
  EXPECT_TRUE(weight.q.to(at::kFloat).equal(at::tensor({448.0f, -1.0f, 2.0f, 0.0f}).view({2, 2})));
  const QuantizedRows rows = quantize_rows(at::tensor({448.0f, 1.0f, -0.5f, 0.25f}).view({2, 2}), kFp8);
  EXPECT_EQ(rows.scale[0].item<float>(), 1);
  EXPECT_EQ(rows.q.to(at::kFloat)[1][0].item<float>(), -448);
}

TEST(Fp8Linear, ForwardIsWithinTheDerivedBound) {
  const Case c = make_case(40);
  const at::Tensor x = f64(c.x), exact = x.matmul(f64(c.weight).t());
  const at::Tensor row_scale = x.abs().amax(-1, true) / 448;
  const at::Tensor allowed = x.abs().matmul(rounding(f64(c.weight), c.quantized.scale).t()) +
                             rounding(x, row_scale).matmul(c.dequantized.abs().t());
  const at::Tensor sums = x.abs().matmul(f64(c.weight).abs().t());
  const at::Tensor y = w8a8_linear(c.x, c.quantized, at::kFloat);
  expect_within(y, exact, allowed + kFp32 * sums);
  EXPECT_GT(((f64(y) - exact).abs() / sums).max().item<double>(), 10 * kFp32) << "nothing was quantised";
  EXPECT_EQ(w8a8_linear(c.x, c.quantized, at::kHalf).scalar_type(), at::kHalf);
}

TEST(Fp8Linear, BackwardQuantisesTheRowsOfTheGradient) {
  const Case c = make_case(40);
  const at::Tensor x = c.x.clone().requires_grad_();
  const at::Tensor g = at::randn({40, 48}) * at::logspace(2, -4, 40).unsqueeze(1);
  w8a8_linear(x, c.quantized, at::kFloat).backward(g);
  const QuantizedRows rows = quantize_rows(g, kFp8);
  const at::Tensor quantized = f64(rows.q) * f64(rows.scale);
  expect_within(x.grad(), quantized.matmul(c.dequantized), kFp32 * quantized.abs().matmul(c.dequantized.abs()));
  const at::Tensor allowed = rounding(f64(g), rows.scale).matmul(c.dequantized.abs()) +
                             f64(g).abs().matmul(rounding(f64(c.weight), c.quantized.scale));
  expect_within(x.grad(), f64(g).matmul(f64(c.weight)), allowed + kFp32 * f64(g).abs().matmul(c.dequantized.abs()));
}

TEST(Fp8Linear, SixteenRowsDequantiseTheWeightInstead) {
  const Case c = make_case(16);
  const at::Tensor sums = f64(c.x).abs().matmul(c.dequantized.abs().t());
  expect_within(w8a8_linear(c.x, c.quantized, at::kFloat), f64(c.x).matmul(c.dequantized.t()), kFp32 * sums);
}

TEST(Fp8Linear, RandomWeightHasTheVarianceOfAnInitialisedOne) {
  at::manual_seed(1);
  const W8A8Weight weight = random_weight(512, 256, at::kCPU, kFp8);
  EXPECT_NEAR((f64(weight.q) * f64(weight.scale)).var().item<double>() * 512, 1, 0.03);
}

TEST(Fp8Linear, TrainedWeightsAreTheSameWithTheCachedScale) {
  const FixesOn off, on{.fp8_scale_cached = true};
  TinyTraining without({.weights = scenarios::Weights::fp8, .fixes = &off});
  TinyTraining with({.weights = scenarios::Weights::fp8, .fixes = &on});
  const std::vector<at::Tensor> start = {with.parameters()[1].detach().clone()};
  without.train(10);
  with.train(10);
  expect_same(without.parameters(), with.parameters());
  EXPECT_FALSE(start[0].equal(with.parameters()[1].detach())) << "nothing was trained";
}

// Tiny has 28 linears (2 * 12 + 2 * 2), each run forward and recomputed.
TEST(Fp8LinearCuda, TwoUploadsPerLinearAndMicroStepUntilTheScaleIsCached) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device, simulated or real";
  FixesOn fixes;
  TinyTraining tiny({.weights = scenarios::Weights::fp8, .device = at::kCUDA, .fixes = &fixes});
  tiny.train(1);
  const auto step = [&](std::int64_t number) { return host_waits_of([&] { tiny.loss(number).backward(); }); };
  const HostWaits blocking = step(1);
  EXPECT_EQ(blocking.all(), 56);
  EXPECT_EQ(blocking.stream_syncs, 56);
  EXPECT_EQ(blocking.uploads, 56);
  fixes.fp8_scale_cached = true;  // looked up at each call
  const HostWaits cached = step(2);
  EXPECT_EQ(cached.all(), 0);
  EXPECT_EQ(cached.uploads, 0);
  fixes.fp8_scale_cached = false;
  EXPECT_EQ(step(3).all(), 56);
}

}  // namespace
}  // namespace zerostall::train
