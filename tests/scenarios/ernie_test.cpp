// Ernie Image: positions and mask against numbers worked out by hand, and the run at size tiny. Sources:
// reference-step.md rows E1 and E2, sections D, E, G; diffusers' transformer_ernie_image.py.
#include <gtest/gtest.h>

#include "scenarios/ernie/model.h"
#include "scenarios/ernie/sequence.h"
#include "scenarios/ernie/transformer.h"
#include "scenarios/train/autocast.h"
#include "scenarios/train/flow_matching.h"
#include "tests/scenarios/tiny_run.h"

namespace zerostall::ernie {
namespace {

using train::LossReading;
using train::Result;
using train::RunOptions;

at::Tensor longs(std::vector<std::int64_t> values, at::IntArrayRef shape) {
  return at::tensor(values, at::kLong).view(shape);
}

TEST(ErnieLayout, ImageComesFirstAndCarriesTheLengthOfItsText) {
  const at::Tensor ids = position_ids(longs({5, 3}, {2}), {.height = 2, .width = 2}, 2);
  EXPECT_TRUE(ids.equal(longs({5, 0, 0, 5, 0, 1, 5, 1, 0, 5, 1, 1, 0, 0, 0, 1, 0, 0,  //
                               3, 0, 0, 3, 0, 1, 3, 1, 0, 3, 1, 1, 0, 0, 0, 1, 0, 0},
                              {2, 6, 3})));
}

TEST(ErnieLayout, OnlyThePaddingBehindATextIsHidden) {
  const at::Tensor mask = attention_mask(longs({1, 3}, {2}), 2, 3);
  EXPECT_EQ(mask.scalar_type(), at::kBool);
  EXPECT_TRUE(mask.to(at::kLong).equal(longs({1, 1, 1, 0, 0, 1, 1, 1, 1, 1}, {2, 1, 1, 5})));
}

TEST(ErnieLayout, EachFrequencyStandsTwiceAndTheAxesFollowEachOther) {
  // Axes of 2, 4 and 4: frequencies 1; 1, 256^(-1/2) = 1/16; the same. Position (3, 1, 2).
  const train::RopeTable table =
      train::rope_table(longs({3, 1, 2}, {1, 1, 3}), {2, 4, 4}, Config::kRopeTheta, at::kFloat);
  const at::Tensor angles = at::tensor({3.0, 3.0, 1.0, 1.0, 1.0 / 16, 1.0 / 16, 2.0, 2.0, 2.0 / 16, 2.0 / 16});
  EXPECT_TRUE(table.cos[0][0].to(at::kDouble).allclose(angles.to(at::kDouble).cos(), 1e-6, 1e-6));
  EXPECT_TRUE(table.sin[0][0].to(at::kDouble).allclose(angles.to(at::kDouble).sin(), 1e-6, 1e-6));
}

train::Model tiny_model() {
  at::manual_seed(7);
  return *make_model("tiny", {.device = at::kCPU});
}

// What make_model("tiny") holds after the same seed.
Transformer tiny_transformer() {
  at::manual_seed(7);
  train::LinearMaker maker{.device = at::kCPU, .parameters = {}};
  return make_transformer(*find_config("tiny"), maker);
}

TEST(Ernie, PredictsNoiseMinusDataAtTheRawTimestep) {
  const train::Model model = tiny_model();
  train::OneStep step = train::one_step(train::random_samples(2, model.sample));
  step.batch.latents = at::ones_like(step.batch.latents);
  const train::Autocast autocast(at::kCPU);
  const train::Predicted out = step.predict(model);
  // The same draws again: noise [B, 128, 8, 8] first, then the timesteps, without shift.
  const at::Generator generator = step.generator();
  const at::Tensor noise = at::empty({2, 128, 8, 8}).normal_(0, 1, generator);
  const at::Tensor timestep = train::sample_timesteps(2, 1, generator, at::kCPU);
  const at::Tensor weight = ((timestep + 1).to(at::kFloat) / 1000).view({2, 1, 1, 1});
  const at::Tensor x0 =
      ((1 - step.vae.bn.running_mean) / (step.vae.bn.running_var + 1e-4).sqrt()).view({1, -1, 1, 1}).expand_as(noise);
  ASSERT_EQ(out.target.sizes(), at::IntArrayRef({2, 32, 16, 16}));
  EXPECT_TRUE(train::patchify(out.target).allclose(noise - x0, 1e-4, 1e-4));
  const at::Tensor expected = forward(tiny_transformer(),
                                      {.hidden_states = (weight * noise + (1 - weight) * x0).to(at::kBFloat16),
                                       .timestep = timestep,
                                       .text = step.batch.text,
                                       .text_lengths = longs({12, 32}, {2})},
                                      step.blocks);
  EXPECT_LT((train::patchify(out.predicted.contiguous()) - expected).abs().mean().item<float>(), 0.01)
      << "bf16 rounding of the input only";
  EXPECT_GT(expected.abs().mean().item<float>(), 0.2);
}

TEST(Ernie, PaddingAndTheOtherSamplesDoNotReachASamplesImage) {
  const train::Model model = tiny_model();
  const train::OneStep step = train::one_step(train::random_samples(2, model.sample));
  const train::Autocast autocast(at::kCPU);
  const auto first_image = [&](const at::Tensor& text, std::vector<std::int64_t> lengths) {
    const auto batch = static_cast<std::int64_t>(lengths.size());
    return forward(tiny_transformer(),
                   {.hidden_states = at::ones({batch, 128, 8, 8}, at::kBFloat16),
                    .timestep = at::full({batch}, 500, at::kLong),
                    .text = text,
                    .text_lengths = longs(lengths, {batch})},
                   step.blocks)[0];
  };
  const at::Tensor text = step.batch.text;
  const at::Tensor alone = first_image(text.slice(0, 0, 1).slice(1, 0, 12), {12});
  EXPECT_LT((first_image(text, {12, 32}) - alone).abs().mean().item<float>(), 0.02);
  at::Tensor other_padding = text.clone();
  other_padding[0].slice(0, 12).neg_();
  EXPECT_TRUE(first_image(other_padding, {12, 32}).equal(first_image(text, {12, 32})));
  at::Tensor other_text = text.clone();
  other_text[0][11].neg_();
  EXPECT_FALSE(first_image(other_text, {12, 32}).equal(first_image(text, {12, 32})));
}

RunOptions tiny(const train::FixesOn& fixes, std::int64_t updates = 10) {
  return train::tiny_options(make_model, fixes, updates);
}

TEST(Ernie, WeightsAreBitIdenticalWithTheFixesOnAndOff) {
  const Result none = run(tiny({}));
  EXPECT_TRUE(same_weights(none, run(tiny({.host_lengths = true}))));
  EXPECT_TRUE(
      same_weights(none, run(tiny({.bn_pinning = true, .host_lengths = true, .loss_reading = LossReading::async}))));
}

TEST(Ernie, TrainingMovesEveryLoraWeight) {
  const Result before = run(tiny({}, 0)), after = run(tiny({}, 3));
  ASSERT_EQ(before.weights.size(), 2u * 7 * 2) << "two blocks, 7 linears, down and up";
  for (std::size_t i = 0; i < before.weights.size(); ++i)
    EXPECT_FALSE(before.weights[i].equal(after.weights[i])) << before.names[i];
}

TEST(Ernie, FineTuningTrainsTheBlocksThemselves) {
  RunOptions options = tiny({}, 0);
  options.settings.weights = scenarios::Weights::bf16;
  const Result before = run(options);
  options.training.updates = 3;
  const Result after = run(options);
  ASSERT_EQ(before.weights.size(), 2u * 7);
  for (std::size_t i = 0; i < before.weights.size(); ++i)
    EXPECT_FALSE(before.weights[i].equal(after.weights[i])) << before.names[i];
}

TEST(Ernie, TheSeedDecidesTheResult) {
  RunOptions other = tiny({}, 2);
  other.seed = 43;
  EXPECT_FALSE(same_weights(run(tiny({}, 2)), run(other)));
  EXPECT_TRUE(same_weights(run(tiny({}, 2)), run(tiny({}, 2))));
}

TEST(Ernie, SizesAreThoseOfTheModel) {
  const Config config = *find_config("ernie-image");
  EXPECT_EQ(config.hidden(), 4096);
  EXPECT_EQ(7 * config.num_layers, 252);  // quantised linears, all of them adapted
  EXPECT_FALSE(find_config("ernie"));
  EXPECT_FALSE(make_model("klein-9b", {.device = at::kCPU}));
}

}  // namespace
}  // namespace zerostall::ernie
