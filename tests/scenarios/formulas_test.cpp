// Each formula of the step against numbers worked out by hand. Sources: reference-step.md sections A.4, C, D, E.
#include <gtest/gtest.h>

#include "scenarios/train/autocast.h"
#include "scenarios/train/block_linear.h"
#include "scenarios/train/flow_matching.h"
#include "scenarios/train/layers.h"

namespace zerostall::train {
namespace {

void expect_close(const at::Tensor& got, std::vector<double> expected, double tolerance = 1e-6) {
  const at::Tensor flat = got.detach().to(at::kDouble).flatten().contiguous();
  ASSERT_EQ(static_cast<std::size_t>(flat.numel()), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(flat.const_data_ptr<double>()[i], expected[i], tolerance) << "at " << i;
}

TEST(Latents, PatchifyPutsChannelFirstThenRowThenColumn) {
  // z[0, c, y, x] = 100 c + 10 y + x; so is the origin of each value readable.
  const at::Tensor z =
      at::arange(2).view({1, 2, 1, 1}) * 100 + at::arange(4).view({1, 1, 4, 1}) * 10 + at::arange(6).view({1, 1, 1, 6});
  const at::Tensor patches = patchify(z.contiguous());
  ASSERT_EQ(patches.sizes(), at::IntArrayRef({1, 8, 2, 3}));
  EXPECT_EQ(patches[0][0][0][0].item<int>(), 0);    // c 0, dy 0, dx 0
  EXPECT_EQ(patches[0][1][0][0].item<int>(), 1);    // dx 1
  EXPECT_EQ(patches[0][2][0][0].item<int>(), 10);   // dy 1
  EXPECT_EQ(patches[0][4][0][0].item<int>(), 100);  // c 1
  EXPECT_EQ(patches[0][7][1][2].item<int>(), 135);  // c 1, y 2+1, x 4+1
  EXPECT_TRUE(unpatchify(patches).equal(z));
}

TEST(Latents, PackIsRowMajorTokensAndUnpackItsInverse) {
  const at::Tensor x = at::arange(24).view({1, 2, 3, 4});
  const at::Tensor tokens = pack(x);
  ASSERT_EQ(tokens.sizes(), at::IntArrayRef({1, 12, 2}));
  EXPECT_EQ(tokens[0][5][1].item<int>(), 12 + 5);  // token 5 = row 1, column 1
  EXPECT_TRUE(unpack(tokens, 3).equal(x));
}

TEST(Latents, ScalingUsesEachChannelsMeanAndRootOfVariancePlusEps) {
  Vae vae;
  vae.bn.running_mean = at::tensor({2.0f, -1.0f});
  vae.bn.running_var = at::tensor({8.9999f, 0.2499f});
  const at::Tensor z = at::tensor({5.0f, 2.0f, 0.0f, -1.0f}).view({1, 2, 1, 2});
  expect_close(scale_latents(z, vae), {1, 0, 2, 0});
}

TEST(Latents, BatchNormEpsIsThatOfTheVae) {
  Vae vae;
  vae.bn.running_mean = at::zeros({1});
  vae.bn.running_var = at::zeros({1});
  expect_close(scale_latents(at::ones({1, 1, 1, 1}), vae), {100}, 1e-3);  // 1 / sqrt(1e-4)
}

TEST(Latents, ScalingTakesTheChannelsFromWhereTheyAre) {
  Vae vae;
  vae.bn.running_mean = at::tensor({2.0f, -1.0f});
  vae.bn.running_var = at::tensor({8.9999f, 0.2499f});
  const at::Tensor tokens = at::tensor({5.0f, 0.0f, 2.0f, -1.0f}).view({1, 2, 2});  // [B, tokens, channels]
  expect_close(scale_latents(tokens, vae, 2), {1, 2, 0, 0});
}

TEST(FlowMatching, ShiftByHand) {
  // 1000 * 3 * 500 / (2 * 500 + 1000) = 750; the ends stay.
  expect_close(shift_timestep(at::tensor({0.0f, 500.0f, 1000.0f}), 3), {0, 750, 1000}, 1e-4);
  expect_close(shift_timestep(at::tensor({123.0f}), 1), {123}, 1e-4);
  EXPECT_NEAR(dynamic_shift(256), 1.6487213, 1e-6);   // e^0.5
  EXPECT_NEAR(dynamic_shift(1024), 1.8776106, 1e-6);  // e^(0.5 + 0.65 * 768 / 3840) = e^0.63
  EXPECT_NEAR(dynamic_shift(4096), 3.1581929, 1e-6);  // e^1.15
}

TEST(FlowMatching, SigmaNoisingAndTargetByHand) {
  const at::Tensor table = sigma_table(at::kCPU);
  ASSERT_EQ(table.numel(), 1000);
  expect_close(table.index_select(0, at::tensor({0, 249, 999}, at::kLong)), {0.001, 0.25, 1});
  const at::Tensor x0 = at::full({1, 1, 1, 1}, 4.0f), noise = at::full({1, 1, 1, 1}, 8.0f);
  expect_close(add_noise(x0, noise, at::tensor({0.25f})), {5});  // 0.25 * 8 + 0.75 * 4
  expect_close(flow_target(x0, noise), {4});
}

TEST(FlowMatching, NoisingAndLossTakeTokensToo) {
  const at::Tensor x0 = at::tensor({4.0f, 0.0f}).view({2, 1, 1}), noise = at::tensor({8.0f, 2.0f}).view({2, 1, 1});
  expect_close(add_noise(x0, noise, at::tensor({0.25f, 0.5f})), {5, 1});
  expect_close(flow_loss(x0, noise, at::tensor({1.0f, 2.0f})), {12});  // (16 + 2 * 4) / 2
}

TEST(FlowMatching, TimestepsAreIntegersInRangeAndFollowTheSeed) {
  at::Generator generator = at::globalContext().defaultGenerator(at::kCPU).clone();
  generator.set_current_seed(5);
  const at::Tensor t = sample_timesteps(4000, 1.0, generator, at::kCPU);
  EXPECT_EQ(t.scalar_type(), at::kLong);
  EXPECT_GE(t.min().item<std::int64_t>(), 0);
  EXPECT_LT(t.max().item<std::int64_t>(), 1000);
  EXPECT_NEAR(t.to(at::kDouble).mean().item<double>(), 500, 15);  // symmetric without shift
  EXPECT_NEAR(t.lt(269).to(at::kDouble).mean().item<double>(), 0.1587,
              0.025);  // sigmoid(-1) = 0.269: one deviation below
  generator.set_current_seed(5);
  EXPECT_TRUE(sample_timesteps(4000, 1.0, generator, at::kCPU).equal(t));
  generator.set_current_seed(6);
  EXPECT_FALSE(sample_timesteps(4000, 1.0, generator, at::kCPU).equal(t));
}

TEST(FlowMatching, LossWeighsEachSamplesMeanSquare) {
  const at::Tensor target = at::zeros({2, 1, 2, 1});
  const at::Tensor predicted = at::tensor({2.0f, 2.0f, 1.0f, -1.0f}).view({2, 1, 2, 1});
  expect_close(flow_loss(predicted, target, at::tensor({1.0f, 3.0f})), {3.5});  // (1 * 4 + 3 * 1) / 2
}

TEST(Layers, RopeRotatesPairsByIdTimesFrequency) {
  // Two axes of 2 dimensions: one pair each, frequency 1. Ids (0,0) and (1,2).
  const at::Tensor ids = at::tensor({0, 0, 1, 2}, at::kLong).view({2, 2});
  const RopeTable table = rope_table(ids, {2, 2}, 2000);
  const at::Tensor x = at::tensor({1.0f, 0.0f, 0.0f, 1.0f}).repeat({2}).view({1, 2, 1, 4});
  expect_close(apply_rope(x, table), {1, 0, 0, 1, 0.5403023, 0.8414710, -0.9092974, -0.4161468});
}

TEST(Layers, RopeFrequenciesFallWithThetaWithinAnAxis) {
  // One axis of 4: frequencies 1 and 2000^(-1/2) = 0.02236068. Id 3: angles 3 and 0.06708204.
  const RopeTable table = rope_table(at::tensor({3}, at::kLong).view({1, 1}), {4}, 2000);
  expect_close(table.cos, {-0.9899925, -0.9899925, 0.9977508, 0.9977508});
  expect_close(table.sin, {0.1411200, 0.1411200, 0.0670317, 0.0670317});
}

TEST(Layers, RopeTakesEachSamplesOwnIdsInTheGivenPrecision) {
  // One axis of 2, frequency 1: angle = id.
  const at::Tensor ids = at::tensor({1, 2}, at::kLong).view({2, 1, 1});
  const RopeTable table = rope_table(ids, {2}, 256, at::kFloat);
  ASSERT_EQ(table.cos.sizes(), at::IntArrayRef({2, 1, 2}));
  expect_close(table.cos, {0.5403023, 0.5403023, -0.4161468, -0.4161468});
  const at::Tensor x = at::tensor({1.0f, 0.0f}).repeat({2}).view({2, 1, 1, 2});
  expect_close(apply_rope(x, table), {0.5403023, 0.8414710, -0.4161468, 0.9092974});
}

TEST(Layers, RopeOfHalvesPairsAcrossTheMiddleWithEachPlacesOwnAngle) {
  // Angles 1, 2 in the first half, 3, 4 in the second. x = (1, 0, 0, 10): places 0 and 2 pair, 1 and 3 pair.
  const at::Tensor angles = at::tensor({1.0f, 2.0f, 3.0f, 4.0f}).view({1, 4});
  const RopeTable table{.cos = angles.cos(), .sin = angles.sin()};
  const at::Tensor x = at::tensor({1.0f, 0.0f, 0.0f, 10.0f}).view({1, 1, 1, 4});
  // 1 cos 1 - 0; 0 - 10 sin 2; 0 + 1 sin 3; 10 cos 4 + 0
  expect_close(apply_rope_halves(x, table), {0.5403023, -9.0929743, 0.1411200, -6.5364362});
}

TEST(Layers, AttentionLooksOnlyWhereTheMaskIsTrue) {
  // Equal scores: each query takes the mean of the values it may see.
  const at::Tensor qk = at::zeros({1, 3, 1, 2});
  const at::Tensor v = at::tensor({1.0f, 2.0f, 3.0f, 6.0f, 8.0f, 4.0f}).view({1, 3, 1, 2});
  expect_close(attention(qk, qk, v), {4, 4, 4, 4, 4, 4});
  const at::Tensor keys = at::tensor({1, 1, 0}).to(at::kBool).view({1, 1, 1, 3});
  expect_close(attention(qk, qk, v, keys), {2, 4, 2, 4, 2, 4});
  const at::Tensor pairs = at::tensor({1, 0, 0, 0, 1, 1, 0, 0, 1}).to(at::kBool).view({1, 1, 3, 3});
  expect_close(attention(qk, qk, v, pairs), {1, 2, 5.5, 5, 8, 4});
}

TEST(Layers, RopeKeepsTheDtype) {
  const RopeTable table = rope_table(at::tensor({3}, at::kLong).view({1, 1}), {4}, 2000);
  EXPECT_EQ(apply_rope(at::ones({1, 1, 1, 4}, at::kBFloat16), table).scalar_type(), at::kBFloat16);
}

TEST(Layers, SwigluGatesWithTheFirstHalf) {
  expect_close(swiglu(at::tensor({1.0f, 2.0f, 3.0f, 4.0f})), {2.1931757, 7.0463766});  // silu(1) * 3, silu(2) * 4
}

TEST(Layers, TimestepEmbeddingHasCosinesFirst) {
  expect_close(timestep_embedding(at::tensor({1.0f}), 4), {0.5403023, 0.9999500, 0.8414710, 0.0099998});
}

TEST(Layers, TimestepEmbeddingOtherOrderAndFrequencies) {
  expect_close(timestep_embedding(at::tensor({1.0f}), 4, Waves::sines_first),
               {0.8414710, 0.0099998, 0.5403023, 0.9999500});
  // Two frequencies, shifted by 1: 1 and 10000^(-1/1).
  expect_close(timestep_embedding(at::tensor({2.0f}), 4, Waves::sines_first, 1),
               {0.9092974, 0.0002000, -0.4161468, 1.0000000});
}

TEST(Layers, ModulatedNormByHand) {
  const at::Tensor x = at::tensor({1.0f, 3.0f}).view({1, 1, 2});  // normalised: -1, 1
  expect_close(modulated_norm(x, at::full({1, 1, 2}, 10.0f), at::full({1, 1, 2}, 0.5f), 0), {8.5, 11.5});
}

TEST(Lora, BranchIsScaledByAlphaOverRankAndSeesTheUnquantisedInput) {
  at::manual_seed(3);
  LinearMaker maker{.device = at::kCPU, .rank = 4, .alpha = 2.0, .parameters = {}};
  const BlockLinear layer = maker.linear("l", 16, 8);
  ASSERT_EQ(maker.parameters.size(), 2u);
  EXPECT_EQ(maker.parameters[0].name, "l.lora_down");
  EXPECT_EQ(layer.up.abs().max().item<float>(), 0);
  EXPECT_LE(layer.down.abs().max().item<float>(), 0.25f);  // 1 / sqrt(16)
  EXPECT_GT(layer.down.abs().max().item<float>(), 0.2f);
  const at::Tensor x = at::randn({32, 16});
  const at::Tensor before = block_linear(layer, x);
  EXPECT_TRUE(before.equal(w8a8_linear(x, layer.base, at::kBFloat16).to(before.scalar_type())))
      << "up is zero: no change yet";
  layer.up.detach().normal_();
  const at::Tensor expected = before + x.matmul(layer.down.t()).matmul(layer.up.t()) * 0.5;
  EXPECT_TRUE(block_linear(layer, x).allclose(expected, 1e-5, 1e-5));
}

TEST(Lora, AnUnadaptedLayerIsItsFrozenWeightAlone) {
  at::manual_seed(3);
  LinearMaker maker{.device = at::kCPU, .parameters = {}};
  const BlockLinear layer = maker.unadapted("l", 16, 8);
  EXPECT_TRUE(maker.parameters.empty());
  const at::Tensor rows = at::randn({32, 16}), few = at::randn({2, 16});
  EXPECT_TRUE(block_linear(layer, rows).equal(w8a8_linear(rows, layer.base, at::kBFloat16)));
  const at::Tensor weight = layer.base.q.to(at::kFloat) * layer.base.scale;
  EXPECT_TRUE(block_linear(layer, few).to(at::kFloat).allclose(few.matmul(weight.t()), 0.05, 0.05));
  LinearMaker tuned{.device = at::kCPU, .weights = scenarios::Weights::bf16, .parameters = {}};
  EXPECT_TRUE(tuned.unadapted("l", 16, 8).weight.requires_grad());
  EXPECT_EQ(tuned.parameters.at(0).name, "l.weight");
}

TEST(Autocast, EndsWithItsScopeAlsoWhenNested) {
  const at::Tensor a = at::ones({2, 2});
  {
    const Autocast outer(at::kCPU);
    { const Autocast inner(at::kCPU); }
    EXPECT_EQ(at::matmul(a, a).scalar_type(), at::kBFloat16);
  }
  EXPECT_EQ(at::matmul(a, a).scalar_type(), at::kFloat);
}

}  // namespace
}  // namespace zerostall::train
