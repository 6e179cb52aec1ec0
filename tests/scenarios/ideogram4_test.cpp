// Ideogram 4: layout, positions and mask against numbers worked out by hand, and the run at size tiny. Sources:
// reference-step.md rows I1 to I5, sections D, E, G; diffusers' pipeline_ideogram4.py and transformer_ideogram4.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "scenarios/ideogram4/model.h"
#include "scenarios/ideogram4/transformer.h"
#include "scenarios/train/autocast.h"
#include "scenarios/train/flow_matching.h"
#include "tests/scenarios/tiny_run.h"

namespace zerostall::ideogram4 {
namespace {

using train::LossReading;
using train::Result;
using train::RunOptions;

at::Tensor longs(std::vector<std::int64_t> values, at::IntArrayRef shape) {
  return at::tensor(values, at::kLong).view(shape);
}

TEST(Ideogram4Layout, PackingPutsRowThenColumnThenChannel) {
  // z[0, c, y, x] = 100 c + 10 y + x
  const at::Tensor z =
      at::arange(2).view({1, 2, 1, 1}) * 100 + at::arange(4).view({1, 1, 4, 1}) * 10 + at::arange(6).view({1, 1, 1, 6});
  const at::Tensor tokens = pack_latents(z.contiguous());
  ASSERT_EQ(tokens.sizes(), at::IntArrayRef({1, 6, 8}));
  // First token: y 0 and 1, x 0 and 1; the channel runs fastest, then x, then y.
  EXPECT_TRUE(tokens[0][0].equal(longs({0, 100, 1, 101, 10, 110, 11, 111}, {8})));
  // Token 4 is row 1, column 1: y 2 and 3, x 2 and 3.
  EXPECT_TRUE(tokens[0][4].equal(longs({22, 122, 23, 123, 32, 132, 33, 133}, {8})));
}

TEST(Ideogram4Layout, TextIsLeftPaddedAndFollowedByRoomForTheImage) {
  const at::Tensor text = at::tensor({1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f}).view({2, 4, 1});
  const at::Tensor packed = pack_text(text, {3, 1}, 2);
  EXPECT_TRUE(packed.equal(at::tensor({1.0f, 2.0f, 3.0f, 0.0f, 0.0f, 0.0f, 0.0f, 5.0f, 0.0f, 0.0f}).view({2, 5, 1})));
}

TEST(Ideogram4Layout, IdsByHand) {
  // Texts of 1 and 2 tokens, an image of 1 row and 2 columns.
  const SequenceIds ids = sequence_ids({1, 2}, {.height = 1, .width = 2}, at::kCPU);
  const std::int64_t o = 65536;
  EXPECT_TRUE(ids.position_ids.equal(longs({0, 0, 0, 0, 0, 0, o, o, o, o, o, o + 1,  //
                                            0, 0, 0, 1, 1, 1, o, o, o, o, o, o + 1},
                                           {2, 4, 3})));
  EXPECT_TRUE(ids.segment_ids.equal(longs({-1, 1, 1, 1, 1, 1, 1, 1}, {2, 4})));
  EXPECT_TRUE(ids.indicator.equal(longs({0, 3, 2, 2, 3, 3, 2, 2}, {2, 4})));
  EXPECT_EQ(ids.position_ids.scalar_type(), at::kLong);
}

TEST(Ideogram4Layout, ImagePositionsGoRowByRow) {
  const at::Tensor positions = sequence_ids({1}, {.height = 2, .width = 2}, at::kCPU).position_ids - 65536;
  EXPECT_TRUE(positions[0].slice(0, 1).equal(longs({0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1}, {4, 3})));
}

TEST(Ideogram4Layout, APositionSeesItsOwnSegmentOnly) {
  const at::Tensor mask = attention_mask(longs({-1, 1, 1, -1, -1, 1}, {2, 3}));
  ASSERT_EQ(mask.sizes(), at::IntArrayRef({2, 1, 3, 3}));
  EXPECT_TRUE(mask.to(at::kLong).equal(longs({1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0, 1}, {2, 1, 3, 3})));
}

TEST(Ideogram4Rope, FrequenciesAreDealtToTheAxesInTurn) {
  // Head of 12: frequencies theta^(-i/6), i = 0..5; with theta 64: 1, 1/2, 1/4, 1/8, 1/16, 1/32. Sections (3, 2, 1):
  // i = 1, 4 turn by h, i = 2 by w (5 is beyond its section), 0, 3 and 5 by t.
  const train::RopeTable table = mrope_table(longs({1, 10, 100}, {1, 1, 3}), 12, {3, 2, 1}, 64);
  const std::vector<double> angles{1, 10.0 / 2, 100.0 / 4, 1.0 / 8, 10.0 / 16, 1.0 / 32};
  ASSERT_EQ(table.cos.sizes(), at::IntArrayRef({1, 1, 12}));
  for (std::int64_t i = 0; i < 12; ++i) {
    EXPECT_NEAR(table.cos[0][0][i].item<double>(), std::cos(angles[static_cast<std::size_t>(i % 6)]), 1e-5) << i;
    EXPECT_NEAR(table.sin[0][0][i].item<double>(), std::sin(angles[static_cast<std::size_t>(i % 6)]), 1e-5) << i;
  }
}

// bf16 and autocast cannot tell positions beyond 65536 apart; the table must.
TEST(Ideogram4Rope, NeighbouringImageTokensDiffer) {
  const Config config = *find_config("ideogram4");
  const SequenceIds ids = sequence_ids({1}, {.height = 1, .width = 2}, at::kCPU);
  const train::Autocast autocast(at::kCPU);
  const train::RopeTable table =
      mrope_table(ids.position_ids, config.attention_head_dim, config.mrope_section, Config::kRopeTheta);
  EXPECT_GT((table.cos[0][1] - table.cos[0][2]).abs().max().item<float>(), 0.1);
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

TEST(Ideogram4, PredictsDataMinusNoiseAtOneMinusSigma) {
  const train::Model model = tiny_model();
  train::OneStep step = train::one_step(train::random_samples(2, model.sample));
  step.batch.latents = at::ones_like(step.batch.latents);
  const train::Autocast autocast(at::kCPU);
  const train::Predicted out = step.predict(model);
  // The same draws again: noise [B, 64, 128] first, then the timesteps.
  const at::Generator generator = step.generator();
  const at::Tensor noise = at::empty({2, 64, 128}).normal_(0, 1, generator);
  const at::Tensor timestep = train::sample_timesteps(2, 128.0 / 512, generator, at::kCPU);
  const at::Tensor sigma = (timestep + 1).to(at::kFloat) / 1000;
  const at::Tensor x0 = ((1 - step.vae.bn.running_mean) / (step.vae.bn.running_var + 1e-4).sqrt()).expand({2, 64, 128});
  EXPECT_TRUE(out.target.allclose(x0 - noise, 1e-4, 1e-4));
  const at::Tensor weight = sigma.view({2, 1, 1});
  const at::Tensor image = (weight * noise + (1 - weight) * x0).to(at::kBFloat16);
  const std::int64_t longest = 32;
  const at::Tensor expected =
      forward(tiny_transformer(),
              {.hidden_states = at::cat({at::zeros({2, longest, 128}, at::kBFloat16), image}, 1),
               .encoder_hidden_states = pack_text(step.batch.text, {12, 32}, 64),
               .timestep = 1 - sigma,
               .ids = sequence_ids({12, 32}, {.height = 8, .width = 8}, at::kCPU)},
              step.blocks)
          .slice(1, longest);
  ASSERT_EQ(out.predicted.sizes(), out.target.sizes());
  EXPECT_LT((out.predicted - expected).abs().mean().item<float>(), 0.01) << "bf16 rounding of the inputs only";
  EXPECT_GT(expected.abs().mean().item<float>(), 0.2);
}

// The longer neighbour in the batch pads a sample on the left; nothing of that may reach its image.
TEST(Ideogram4, PaddingAndTheOtherSamplesDoNotReachASamplesImage) {
  const train::Model model = tiny_model();
  std::vector<train::CachedSample> samples = train::random_samples(2, model.sample);
  const train::Autocast autocast(at::kCPU);
  const auto image_of_first = [&](std::vector<train::CachedSample> batch) {
    train::OneStep step = train::one_step(std::move(batch));
    const at::Tensor image = at::ones({step.batch.text.size(0), 64, 128}, at::kBFloat16);
    const std::vector<std::int64_t>& lengths = step.batch.text_lengths;
    const std::int64_t text = *std::max_element(lengths.begin(), lengths.end());
    const at::Tensor no_image = at::zeros({image.size(0), text, 128}, at::kBFloat16);
    return forward(tiny_transformer(),
                   {.hidden_states = at::cat({no_image, image}, 1),
                    .encoder_hidden_states = pack_text(step.batch.text, lengths, 64),
                    .timestep = at::full({image.size(0)}, 0.5f),
                    .ids = sequence_ids(lengths, {.height = 8, .width = 8}, at::kCPU)},
                   step.blocks)[0]
        .slice(0, text);
  };
  const at::Tensor alone = image_of_first({samples[0]}), padded = image_of_first({samples[0], samples[1]});
  EXPECT_LT((alone - padded).abs().mean().item<float>(), 0.02);
  // What lies behind a text in the cache is not looked at either.
  train::CachedSample other_padding = samples[0];
  other_padding.text = samples[0].text.clone();
  other_padding.text.slice(0, 12).fill_(100);
  EXPECT_TRUE(image_of_first({other_padding}).equal(alone));
  // But a word of the text is.
  train::CachedSample other_text = samples[0];
  other_text.text = samples[0].text.clone();
  other_text.text[11].neg_();
  EXPECT_FALSE(image_of_first({other_text}).equal(alone));
}

RunOptions tiny(const train::FixesOn& fixes, std::int64_t updates = 10) {
  return train::tiny_options(make_model, fixes, updates);
}

TEST(Ideogram4, WeightsAreBitIdenticalWithTheFixesOnAndOff) {
  const Result none = run(tiny({}));
  EXPECT_TRUE(same_weights(none, run(tiny({.host_lengths = true}))));
  EXPECT_TRUE(
      same_weights(none, run(tiny({.bn_pinning = true, .host_lengths = true, .loss_reading = LossReading::async}))));
}

TEST(Ideogram4, TrainingMovesEveryLoraWeightOfAttentionAndFeedForward) {
  const Result before = run(tiny({}, 0)), after = run(tiny({}, 3));
  ASSERT_EQ(before.weights.size(), 2u * 7 * 2) << "two blocks, 7 adapted linears, down and up";
  for (std::size_t i = 0; i < before.weights.size(); ++i) {
    EXPECT_FALSE(before.weights[i].equal(after.weights[i])) << before.names[i];
    EXPECT_EQ(before.names[i].find("adaln"), std::string::npos) << before.names[i];
  }
}

TEST(Ideogram4, FineTuningTrainsTheBlocksThemselves) {
  RunOptions options = tiny({}, 0);
  options.settings.weights = scenarios::Weights::bf16;
  const Result before = run(options);
  options.training.updates = 3;
  const Result after = run(options);
  ASSERT_EQ(before.weights.size(), 2u * 8) << "also adaln_modulation";
  for (std::size_t i = 0; i < before.weights.size(); ++i)
    EXPECT_FALSE(before.weights[i].equal(after.weights[i])) << before.names[i];
}

TEST(Ideogram4, TheSeedDecidesTheResult) {
  RunOptions other = tiny({}, 2);
  other.seed = 43;
  EXPECT_FALSE(same_weights(run(tiny({}, 2)), run(other)));
  EXPECT_TRUE(same_weights(run(tiny({}, 2)), run(tiny({}, 2))));
}

TEST(Ideogram4, SizesAreThoseOfTheModel) {
  const Config config = *find_config("ideogram4");
  EXPECT_EQ(config.hidden(), 4608);
  EXPECT_EQ(config.llm_features_dim, 13 * 4096);
  EXPECT_EQ(8 * config.num_layers, 272);  // quantised linears, of which 7 * 34 = 238 adapted
  EXPECT_FALSE(find_config("ideogram"));
  EXPECT_FALSE(make_model("klein-9b", {.device = at::kCPU}));
}

}  // namespace
}  // namespace zerostall::ideogram4
