#include "scenarios/flux2/model.h"

#include <array>
#include <memory>

#include "fixes/cached_guidance.h"
#include "scenarios/flux2/transformer.h"
#include "scenarios/train/autocast.h"
#include "scenarios/train/flow_matching.h"

namespace zerostall::flux2 {
namespace {

constexpr std::array kConfigs{
    Config{.name = "tiny",
           .heads = 2,
           .double_blocks = 2,
           .single_blocks = 2,
           .text_features = 96,
           .text_length = 32,
           .latent_size = 16},
    Config{.name = "dev-tiny",
           .heads = 2,
           .double_blocks = 2,
           .single_blocks = 2,
           .text_features = 96,
           .text_length = 32,
           .latent_size = 16,
           .guidance_embeds = true},
    Config{.name = "klein-4b", .heads = 24, .double_blocks = 5, .single_blocks = 20, .text_features = 7680},
    Config{.name = "klein-9b", .heads = 32, .double_blocks = 8, .single_blocks = 24, .text_features = 12288},
    Config{.name = "dev",
           .heads = 48,
           .double_blocks = 8,
           .single_blocks = 48,
           .text_features = 15360,
           .guidance_embeds = true},
};

constexpr double kGuidanceScale = 1.0;

// Position ids on the device, [product of the lengths, 4].
at::Tensor position_ids(std::array<std::int64_t, 4> lengths, at::Device device) {
  std::vector<at::Tensor> axes;
  for (const std::int64_t length : lengths)
    axes.push_back(at::arange(length, at::TensorOptions().dtype(at::kLong).device(device)));
  return at::cartesian_prod(axes);
}

// What the step needs beside the batch.
struct Predictor {
  Transformer transformer;
  at::Tensor sigmas;  // made once, on the device
  fixes::CachedNumber guidance;
};

at::Tensor guidance(Predictor& p, std::int64_t batch, const train::FixesOn& fixes) {
  if (!p.transformer.config.guidance_embeds) return {};
  const at::Device device = p.sigmas.device();
  if (fixes.cached_guidance) return p.guidance.get(kGuidanceScale, device, at::kBFloat16).expand({batch});
  // A host number made a device tensor in every micro-step: 2 bytes, pageable, blocking (B.1 #12).
  return at::full({1}, kGuidanceScale, at::kBFloat16).to(device).expand({batch});
}

// All of it under Autocast.
train::Predicted predict(Predictor& p, const train::MicroStep& step) {
  const at::Device device = p.sigmas.device();
  const at::Tensor x0 = train::scale_latents(train::patchify(step.batch.latents.to(at::kFloat)), step.vae);
  const at::Tensor noise = at::empty_like(x0).normal_(0, 1, step.generator);
  const std::int64_t height = x0.size(2), width = x0.size(3);
  const at::Tensor timestep =
      train::sample_timesteps(x0.size(0), train::dynamic_shift(height * width), step.generator, device);
  const at::Tensor noisy = train::add_noise(x0, noise, p.sigmas.index_select(0, timestep));
  const at::Tensor predicted = forward(p.transformer,
                                       {.hidden_states = train::pack(noisy).to(train::compute_dtype(device.type())),
                                        .encoder_hidden_states = step.batch.text,
                                        .timestep = timestep / train::kTrainTimesteps,
                                        .guidance = guidance(p, x0.size(0), step.fixes),
                                        .txt_ids = position_ids({1, 1, 1, step.batch.text.size(1)}, device),
                                        .img_ids = position_ids({1, height, width, 1}, device)},
                                       step.blocks);
  return {.predicted = train::unpatchify(train::unpack(predicted, height)),
          .target = train::unpatchify(train::flow_target(x0, noise))};
}

}  // namespace

std::optional<Config> find_config(std::string_view name) { return train::find_named(kConfigs, name); }

std::optional<train::Model> make_model(std::string_view size, const train::ModelOptions& options) {
  std::optional<Config> config = find_config(size);
  if (!config) return std::nullopt;
  if (options.pixels > 0) config->latent_size = options.pixels / 8;
  train::LinearMaker maker{
      .device = options.device, .weights = options.weights, .fixes = options.fixes, .parameters = {}};
  const auto predictor = std::make_shared<Predictor>(Predictor{
      .transformer = make_transformer(*config, maker), .sigmas = train::sigma_table(options.device), .guidance = {}});
  return train::Model{.parameters = std::move(maker.parameters),
                      .blocks = block_weights(predictor->transformer),
                      .sample = {.latent_channels = Config::kLatentChannels,
                                 .latent_height = config->latent_size,
                                 .latent_width = config->latent_size,
                                 .text_length = config->text_length,
                                 .text_features = config->text_features},
                      .predict = [predictor](const train::MicroStep& step) { return predict(*predictor, step); }};
}

}  // namespace zerostall::flux2
