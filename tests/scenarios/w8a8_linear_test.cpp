// The W8A8 linear against a float64 product, with the bound that w8a8_linear.h derives. Source: reference-step.md
// section C.
#include "scenarios/train/w8a8_linear.h"

#include <gtest/gtest.h>

namespace zerostall::train {
namespace {

constexpr double kBf16 =
    1.0 / 256;                  // relative rounding of bf16 is half of this; doubled to cover rounding a rounded number
constexpr double kFp32 = 1e-5;  // slack for fp32 rescaling, relative

at::Tensor f64(const at::Tensor& x) { return x.detach().to(at::kDouble); }
at::Tensor dequantized(const W8A8Weight& w) { return f64(w.q) * f64(w.scale); }
at::Tensor row_scale(const at::Tensor& x) { return f64(x).abs().amax(-1, true) / 127; }

// s_w/2 * sum|a| + s_a/2 * sum|w^|, a [M,C], w^ [C,R] the dequantised weight: the error of a @ w when both are rounded.
at::Tensor bound(const at::Tensor& a, const at::Tensor& weight, const at::Tensor& weight_scale) {
  return f64(weight_scale) / 2 * f64(a).abs().sum(-1, true) + row_scale(a) / 2 * weight.abs().sum(0, true);
}

void expect_within(const at::Tensor& got, const at::Tensor& exact, const at::Tensor& allowed) {
  const at::Tensor error = (f64(got) - exact).abs();
  EXPECT_TRUE((error <= allowed).all().item<bool>()) << "worst excess " << (error - allowed).max().item<double>();
}

struct Case {
  at::Tensor weight, x;
  W8A8Weight quantized;
};

Case make_case(std::int64_t rows) {
  at::manual_seed(rows);
  const at::Tensor weight = at::randn({48, 64});
  // Rows of very different size: one scale per row must cope, one scale for the tensor could not.
  const at::Tensor x = at::randn({rows, 64}) * at::logspace(-3, 3, rows).unsqueeze(1);
  return {.weight = weight, .x = x, .quantized = quantize_weight(weight)};
}

TEST(W8A8Linear, QuantisesByHandRoundingHalfToEven) {
  const QuantizedRows rows =
      quantize_rows(at::tensor({127.0f, -1.0f, 0.5f, 1.5f, 2.5f, -254.0f, 2.0f, 3.0f, 5.0f, 0.0f}).view({2, 5}));
  EXPECT_TRUE(rows.scale.equal(at::tensor({1.0f, 2.0f}).view({2, 1})));
  EXPECT_TRUE(rows.q.equal(at::tensor({127, -1, 0, 2, 2, -127, 1, 2, 2, 0}, at::kChar).view({2, 5})));
  const W8A8Weight weight = quantize_weight(at::tensor({63.5f, -0.25f, 0.75f, -63.5f}).view({2, 2}));
  EXPECT_EQ(weight.scale.item<float>(), 0.5f);
  EXPECT_TRUE(weight.q.equal(at::tensor({127, 0, 2, -127}, at::kChar).view({2, 2})));
}

TEST(W8A8Linear, ForwardIsWithinTheDerivedBound) {
  const Case c = make_case(40);
  const at::Tensor exact = f64(c.x).matmul(f64(c.weight).t());
  const at::Tensor allowed = bound(c.x, dequantized(c.quantized).t(), c.quantized.scale);
  const at::Tensor y = w8a8_linear(c.x, c.quantized, at::kFloat);
  expect_within(y, exact, allowed + kFp32 * exact.abs());
  const at::Tensor y16 = w8a8_linear(c.x, c.quantized, at::kBFloat16);
  EXPECT_EQ(y16.scalar_type(), at::kBFloat16);
  expect_within(y16, exact, allowed + kBf16 * (exact.abs() + allowed));
  // The bound says something: it lies well under the size of the result.
  EXPECT_LT((allowed / exact.abs().mean(-1, true)).max().item<double>(), 0.3);
}

TEST(W8A8Linear, BackwardIsWithinTheDerivedBound) {
  const Case c = make_case(40);
  const at::Tensor x = c.x.clone().requires_grad_();
  const at::Tensor g = at::randn({40, 48}) * at::logspace(2, -4, 40).unsqueeze(1);
  w8a8_linear(x, c.quantized, at::kFloat).backward(g);
  const at::Tensor exact = f64(g).matmul(f64(c.weight));
  const at::Tensor allowed = bound(g, dequantized(c.quantized), c.quantized.scale);
  expect_within(x.grad(), exact, allowed + kFp32 * exact.abs());
  EXPECT_LT((allowed / exact.abs().mean(-1, true)).max().item<double>(), 0.3);
  // Exactly the formula: rows of g quantised, contracted over N.
  const QuantizedRows rows = quantize_rows(g);
  const at::Tensor formula = f64(rows.q).matmul(f64(c.quantized.q)) * f64(rows.scale) * f64(c.quantized.scale);
  expect_within(x.grad(), formula, kFp32 * formula.abs());
}

TEST(W8A8Linear, SixteenRowsDequantiseTheWeightInstead) {
  for (const std::int64_t rows : {1, 16}) {
    const Case c = make_case(rows);
    const at::Tensor x = c.x.clone().requires_grad_();
    const at::Tensor y = w8a8_linear(x, c.quantized, at::kFloat);
    const at::Tensor exact = f64(c.x).matmul(dequantized(c.quantized).t());
    const at::Tensor sums = f64(c.x).abs().matmul(dequantized(c.quantized).abs().t());
    expect_within(y, exact, kFp32 * sums);  // activations are not quantised: far tighter than the int8 bound
    const at::Tensor g = at::randn({rows, 48});
    y.backward(g);
    expect_within(x.grad(), f64(g).matmul(dequantized(c.quantized)),
                  kFp32 * f64(g).abs().matmul(dequantized(c.quantized).abs()));
  }
}

TEST(W8A8Linear, SeventeenRowsTakeTheInt8Product) {
  const Case c = make_case(17);
  const at::Tensor exact = f64(c.x).matmul(dequantized(c.quantized).t());
  const at::Tensor error = (f64(w8a8_linear(c.x, c.quantized, at::kFloat)) - exact).abs();
  const at::Tensor sums = f64(c.x).abs().matmul(dequantized(c.quantized).abs().t());
  EXPECT_GT((error / sums).max().item<double>(), 10 * kFp32) << "activations were not quantised";
}

TEST(W8A8Linear, ZeroRowGivesZeroAndNoNan) {
  Case c = make_case(20);
  c.x[3].zero_();
  const at::Tensor y = w8a8_linear(c.x, c.quantized, at::kFloat);
  EXPECT_EQ(y[3].abs().max().item<float>(), 0);
  EXPECT_FALSE(y.isnan().any().item<bool>());
  EXPECT_EQ(quantize_rows(c.x).scale[3].item<float>(), 1e-30f);
}

TEST(W8A8Linear, KeepsLeadingDimensions) {
  const Case c = make_case(40);
  const at::Tensor y = w8a8_linear(c.x.view({2, 20, 64}), c.quantized, at::kFloat);
  EXPECT_EQ(y.sizes(), at::IntArrayRef({2, 20, 48}));
  EXPECT_TRUE(y.view({40, 48}).equal(w8a8_linear(c.x, c.quantized, at::kFloat)));
}

TEST(W8A8Linear, RandomWeightHasTheVarianceOfAnInitialisedOne) {
  at::manual_seed(1);
  const W8A8Weight weight = random_weight(512, 256, at::kCPU);
  const at::Tensor values = dequantized(weight);
  EXPECT_EQ(weight.q.scalar_type(), at::kChar);
  EXPECT_EQ(weight.q.sizes(), at::IntArrayRef({256, 512}));
  EXPECT_NEAR(values.var().item<double>() * 512, 1, 0.03);
  EXPECT_NEAR(values.mean().item<double>(), 0, 0.001);
}

}  // namespace
}  // namespace zerostall::train
