#include "scenarios/ernie/model.h"

#include <array>
#include <memory>

#include "fixes/host_lengths.h"
#include "scenarios/ernie/transformer.h"
#include "scenarios/train/autocast.h"
#include "scenarios/train/flow_matching.h"
#include "scenarios/train/length_reads.h"

namespace zerostall::ernie {
namespace {

constexpr std::array kConfigs{
    Config{.name = "tiny",
           .num_layers = 2,
           .num_attention_heads = 2,
           .ffn_hidden_size = 512,
           .text_in_dim = 96,
           .text_length = 32,
           .shortest_text = 12,
           .latent_size = 16},
    Config{.name = "ernie-image"},
};

// The presets leave dynamic shift off.
constexpr double kShift = 1;

// What the step needs beside the batch.
struct Predictor {
  Transformer transformer;
  at::Tensor sigmas;
  train::LengthReads reads;
};

// Row E1: the texts are cut to the longest of the batch, whose length is read from the device.
std::int64_t longest_text(const Predictor& p, const train::MicroStep& step, const at::Tensor& on_device) {
  if (step.fixes.host_lengths) return fixes::longest(step.batch.text_lengths);
  return p.reads.longest(on_device, step.batch.text_lengths);
}

// All of it under Autocast.
train::Predicted predict(const Predictor& p, const train::MicroStep& step) {
  const at::Tensor lengths = step.batch.tokens_mask.sum(1);
  const at::Tensor text = step.batch.text.slice(1, 0, longest_text(p, step, lengths));
  const at::Tensor x0 = train::scale_latents(train::patchify(step.batch.latents.to(at::kFloat)), step.vae);
  const at::Tensor noise = at::empty_like(x0).normal_(0, 1, step.generator);
  const at::Tensor timestep = train::sample_timesteps(x0.size(0), kShift, step.generator, p.sigmas.device());
  const at::Tensor noisy = train::add_noise(x0, noise, p.sigmas.index_select(0, timestep));
  const at::Tensor predicted = forward(p.transformer,
                                       {.hidden_states = noisy.to(train::compute_dtype(p.sigmas.device().type())),
                                        .timestep = timestep,
                                        .text = text,
                                        .text_lengths = lengths},
                                       step.blocks);
  return {.predicted = train::unpatchify(predicted), .target = train::unpatchify(train::flow_target(x0, noise))};
}

}  // namespace

std::optional<Config> find_config(std::string_view name) { return train::find_named(kConfigs, name); }

std::optional<train::Model> make_model(std::string_view size, const train::ModelOptions& options) {
  std::optional<Config> config = find_config(size);
  if (!config) return std::nullopt;
  if (options.pixels > 0) config->latent_size = options.pixels / 8;
  train::LinearMaker maker{
      .device = options.device, .weights = options.weights, .fixes = options.fixes, .parameters = {}};
  const auto predictor = std::make_shared<const Predictor>(Predictor{.transformer = make_transformer(*config, maker),
                                                                     .sigmas = train::sigma_table(options.device),
                                                                     .reads = train::LengthReads(options.device)});
  return train::Model{.parameters = std::move(maker.parameters),
                      .blocks = block_weights(predictor->transformer),
                      .sample = {.latent_channels = Config::kLatentChannels,
                                 .latent_height = config->latent_size,
                                 .latent_width = config->latent_size,
                                 .text_length = config->text_length,
                                 .text_features = config->text_in_dim,
                                 .shortest_text = config->shortest_text},
                      .predict = [predictor](const train::MicroStep& step) { return predict(*predictor, step); }};
}

}  // namespace zerostall::ernie
