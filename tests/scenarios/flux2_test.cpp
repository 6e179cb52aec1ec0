// The FLUX.2 run at size tiny. Sources: reference-step.md A.4, A.5, D, E, F.10.
#include <gtest/gtest.h>

#include <limits>

#include "scenarios/flux2/model.h"
#include "scenarios/flux2/transformer.h"
#include "tests/scenarios/tiny_run.h"

namespace zerostall::flux2 {
namespace {

using train::LossReading;
using train::Result;
using train::RunOptions;
using train::same_weights;

RunOptions tiny(bool pinned, LossReading reading, std::int64_t accumulation = 1, at::Device device = at::kCPU) {
  return {.make_model = [](const train::ModelOptions& options) { return *make_model("tiny", options); },
          .settings = {},
          .device = device,
          .fixes = {.bn_pinning = pinned, .loss_reading = reading},
          .undo = {},
          .training = {.updates = 5, .accumulation = accumulation, .learning_rate = 0.05},
          .samples = {},
          .all_reduce_mean = {}};
}

// A transformer by itself, and what runs its blocks.
Transformer transformer_of(const Config& config) {
  train::LinearMaker maker{.device = at::kCPU, .parameters = {}};
  return make_transformer(config, maker);
}

train::BlockRunner runner() { return {.anchor = at::zeros({}).requires_grad_()}; }

TEST(Flux2, WeightsAreBitIdenticalWithTheFixesOnAndOff) {
  for (const std::int64_t accumulation : {1, 2}) {
    const Result none = run(tiny(false, LossReading::blocking, accumulation));
    for (const LossReading reading : {LossReading::async, LossReading::async_upstream}) {
      EXPECT_TRUE(same_weights(none, run(tiny(true, reading, accumulation))));
    }
  }
}

TEST(Flux2, TrainingMovesEveryLoraWeight) {
  RunOptions untrained = tiny(false, LossReading::blocking);
  untrained.training.updates = 0;
  const Result before = run(untrained), after = run(tiny(false, LossReading::blocking));
  for (std::size_t i = 0; i < before.weights.size(); ++i) EXPECT_FALSE(before.weights[i].equal(after.weights[i])) << i;
}

TEST(Flux2, TheSeedDecidesTheResult) {
  RunOptions other = tiny(false, LossReading::blocking);
  other.seed = 43;
  EXPECT_FALSE(same_weights(run(tiny(false, LossReading::blocking)), run(other)));
}

TEST(Flux2, LossesAreTheSameUnderTheSameNumbers) {
  const Result blocking = run(tiny(false, LossReading::blocking)), async = run(tiny(true, LossReading::async));
  ASSERT_EQ(blocking.lines.size(), 5u);
  ASSERT_EQ(async.lines.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(async.lines[i].update, static_cast<std::int64_t>(i));
    EXPECT_EQ(async.lines[i].loss, blocking.lines[i].loss);
    EXPECT_EQ(async.lines[i].learning_rate, blocking.lines[i].learning_rate);
    EXPECT_GT(async.lines[i].loss,
              0.5);  // a random model: about the variance of noise - latent plus that of the prediction
    EXPECT_LT(async.lines[i].loss, 10);
  }
}

TEST(Flux2, ASampleThatGivesNanIsNamedByItsUpdate) {
  RunOptions options = tiny(true, LossReading::async);
  options.batch = 1;
  options.samples = train::random_samples(4, {32, 16, 16, 32, 96});
  options.samples[1].loss_weight = std::numeric_limits<float>::quiet_NaN();
  try {
    run(options);
    FAIL() << "NaN went unnoticed";
  } catch (const train::LossIsNan& error) {
    EXPECT_EQ(error.update, 1);
  }
}

TEST(Flux2, EveryMicroStepDrawsItsOwnNoise) {
  RunOptions options = tiny(false, LossReading::blocking);
  options.samples = train::random_samples(1, {32, 16, 16, 32, 96});
  options.training.learning_rate = 0;  // same sample, same weights: only noise and timestep differ
  const Result result = run(options);
  EXPECT_NE(result.lines[0].loss, result.lines[1].loss);
  EXPECT_NE(result.lines[1].loss, result.lines[2].loss);
}

TEST(Flux2, WithoutBlocksTheOutputIsTheModulatedProjectionOfTheImageTokens) {
  at::manual_seed(1);
  Config config = *find_config("tiny");
  config.double_blocks = config.single_blocks = 0;
  const Transformer model = transformer_of(config);
  const TransformerInput in{.hidden_states = at::randn({2, 24, 128}, at::kBFloat16),
                            .encoder_hidden_states = at::randn({2, 16, 96}, at::kBFloat16),
                            .timestep = at::tensor({0.125f, 0.5f}),  // times 1000 exact in bf16
                            .guidance = {},
                            .txt_ids = at::zeros({16, 4}, at::kLong),
                            .img_ids = at::zeros({24, 4}, at::kLong)};
  const auto times = [](const at::Tensor& x, const Weight& w) { return at::matmul(x, w.to(at::kFloat).t()); };
  const at::Tensor time = train::timestep_embedding(in.timestep * 1000, 256);
  const at::Tensor temb = times(at::silu(times(time, model.time.linear_1)), model.time.linear_2);
  const std::vector<at::Tensor> scale_shift = times(at::silu(temb), model.norm_out).unsqueeze(1).chunk(2, -1);
  const at::Tensor x = times(in.hidden_states.to(at::kFloat), model.x_embedder);
  const at::Tensor centred = x - x.mean(-1, true);
  const at::Tensor normed = centred / (centred.square().mean(-1, true) + 1e-6).sqrt();
  const at::Tensor expected = times((1 + scale_shift[0]) * normed + scale_shift[1], model.proj_out);
  const at::Tensor error = (forward(model, in, runner()).to(at::kFloat) - expected).abs();
  EXPECT_LT(error.max().item<float>(), 0.1) << "bf16 against fp32";
  EXPECT_GT(expected.abs().mean().item<float>(), 0.5);
}

TEST(Flux2, GuidanceChangesThePredictionOfAModelThatEmbedsItOnly) {
  const auto predict = [](bool embeds, double scale) {
    at::manual_seed(1);
    Config config = *find_config("tiny");
    config.guidance_embeds = embeds;
    const Transformer model = transformer_of(config);
    const at::Tensor ids = at::zeros({32, 4}, at::kLong);
    return forward(model,
                   {.hidden_states = at::ones({1, 32, 128}, at::kBFloat16),
                    .encoder_hidden_states = at::ones({1, 32, 96}, at::kBFloat16),
                    .timestep = at::full({1}, 0.5f),
                    .guidance = at::full({1}, scale, at::kBFloat16),
                    .txt_ids = ids,
                    .img_ids = ids},
                   runner());
  };
  EXPECT_FALSE(predict(true, 1).equal(predict(true, 4)));
  EXPECT_TRUE(predict(false, 1).equal(predict(false, 4)));
}

// A model of size tiny that embeds its guidance scale, as dev does.
TEST(Flux2, CachedGuidanceChangesNoPrediction) {
  at::manual_seed(4);
  const train::Model model = *make_model("dev-tiny", {.device = at::kCPU});
  train::OneStep step = train::one_step(train::random_samples(2, model.sample));
  const at::Tensor uploaded = step.predict(model).predicted;
  step.fixes.cached_guidance = true;
  EXPECT_TRUE(step.predict(model).predicted.equal(uploaded));
  EXPECT_TRUE(step.predict(model).predicted.equal(uploaded)) << "the second time it comes from the cache";
}

TEST(Flux2, SizesAreThoseOfTheModels) {
  const Config klein9 = *find_config("klein-9b"), klein4 = *find_config("klein-4b"), dev = *find_config("dev");
  EXPECT_EQ(klein9.hidden(), 4096);
  EXPECT_EQ(klein4.hidden(), 3072);
  EXPECT_EQ(dev.hidden(), 6144);
  EXPECT_EQ(12 * klein9.double_blocks + 2 * klein9.single_blocks, 144);
  EXPECT_EQ(12 * klein4.double_blocks + 2 * klein4.single_blocks, 100);
  EXPECT_EQ(12 * dev.double_blocks + 2 * dev.single_blocks, 192);
  EXPECT_TRUE(dev.guidance_embeds && !klein9.guidance_embeds && !klein4.guidance_embeds);
  EXPECT_FALSE(find_config("klein"));
}

TEST(Loader, RepeatsSamplesInOrderAndStacksThem) {
  std::vector<train::CachedSample> samples = train::random_samples(3, {32, 4, 4, 8, 16});
  for (std::size_t i = 0; i < 3; ++i) samples[i].loss_weight = static_cast<float>(i);
  train::Loader loader(samples, 2, at::kCPU);
  EXPECT_TRUE(loader.next().loss_weight.equal(at::tensor({0.0f, 1.0f})));
  const train::Batch second = loader.next();
  EXPECT_TRUE(second.loss_weight.equal(at::tensor({2.0f, 0.0f})));
  EXPECT_TRUE(second.text[0].equal(samples[2].text));
  EXPECT_EQ(second.latents.sizes(), at::IntArrayRef({2, 32, 4, 4}));
}

TEST(DeviceSetup, EvictsThenMaterializesThenRunsTheHooks) {
  std::vector<std::string> calls;
  const auto part = [&](std::string name, bool needed) {
    return train::Part{
        .name = name,
        .move_to = [&calls, name](at::Device to) { calls.push_back(name + (to.is_cpu() ? " to cpu" : " to meta")); },
        .needed_in_step = needed};
  };
  train::DeviceSetup setup{.train_device = at::kCPU,
                           .temp_device = at::kMeta,
                           .parts = {part("transformer", true), part("vae", false)},
                           .after = {}};
  setup.after.push_back([&] { calls.push_back("hook"); });
  setup.apply();
  EXPECT_EQ(calls, (std::vector<std::string>{"vae to meta", "transformer to cpu", "hook"}));
}

// The fix sits in setup, so every path that moves the VAE is repaired: setup, evict (as for a backup), setup.
TEST(Flux2Cuda, StatisticsAreOnTheTrainDeviceAfterEverySetup) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device, simulated or real";
  for (const bool pinned : {false, true}) {
    const train::Run scenario(tiny(pinned, LossReading::blocking, 1, at::kCUDA));
    EXPECT_EQ(scenario.vae().bn.running_mean.is_cuda(), pinned);
    EXPECT_TRUE(scenario.vae().weights[0].is_cpu()) << "the VAE itself stays evicted";
    scenario.setup().evict();
    EXPECT_TRUE(scenario.vae().bn.running_mean.is_cpu());
    scenario.setup().apply();
    EXPECT_EQ(scenario.vae().bn.running_mean.is_cuda(), pinned);
    EXPECT_EQ(scenario.vae().bn.running_var.is_cuda(), pinned);
    EXPECT_EQ(scenario.vae().bn.num_batches_tracked.is_cuda(), pinned);
  }
}

}  // namespace
}  // namespace zerostall::flux2
