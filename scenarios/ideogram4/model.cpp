#include "scenarios/ideogram4/model.h"

#include <array>
#include <cmath>
#include <memory>

#include "fixes/host_lengths.h"
#include "scenarios/ideogram4/transformer.h"
#include "scenarios/train/autocast.h"
#include "scenarios/train/flow_matching.h"
#include "scenarios/train/length_reads.h"

namespace zerostall::ideogram4 {
namespace {

constexpr std::array kConfigs{
    Config{.name = "tiny",
           .num_layers = 2,
           .num_attention_heads = 2,
           .attention_head_dim = 64,
           .intermediate_size = 256,
           .adaln_dim = 32,
           .llm_features_dim = 96,
           .mrope_section = {12, 10, 10},
           .text_length = 32,
           .shortest_text = 12,
           .latent_size = 16},
    Config{.name = "ideogram4"},
};

// What the step needs beside the batch.
struct Predictor {
  Transformer transformer;
  at::Tensor sigmas;
  train::LengthReads reads;
};

// The mean of the logit-normal times moves by 0.5 ln(pixels / 512^2), which is this factor on their odds.
double resolution_shift(const at::Tensor& latents) {
  const auto pixels = static_cast<double>(latents.size(2) * 8 * latents.size(3) * 8);
  return std::sqrt(pixels) / 512;
}

// The text encoder's part of the step: rows I1 and I2. The longest text alone is read first, then all lengths.
std::vector<std::int64_t> text_lengths(const Predictor& p, const train::MicroStep& step, const at::Tensor& on_device) {
  const std::vector<std::int64_t>& known = step.batch.text_lengths;
  if (step.fixes.host_lengths) return known;
  static_cast<void>(p.reads.longest(on_device, known));
  return p.reads.all(on_device, known);
}

// Rows I3 and I4: the lengths once more, then three blocking uploads from pageable memory.
SequenceIds ids(const Predictor& p, const train::MicroStep& step, const at::Tensor& on_device, Grid grid) {
  const at::Device device = p.sigmas.device();
  const std::vector<std::int64_t>& known = step.batch.text_lengths;
  if (step.fixes.host_lengths) return sequence_ids(known, grid, device);
  const SequenceIds host = sequence_ids(p.reads.all(on_device, known), grid, at::kCPU);
  return {.position_ids = host.position_ids.to(device),
          .segment_ids = host.segment_ids.to(device),
          .indicator = host.indicator.to(device)};
}

// All of it under Autocast.
train::Predicted predict(const Predictor& p, const train::MicroStep& step) {
  const at::Tensor& latents = step.batch.latents;
  const Grid grid{.height = latents.size(2) / 2, .width = latents.size(3) / 2};
  const at::Tensor on_device = step.batch.tokens_mask.sum(1);
  const std::vector<std::int64_t> lengths = text_lengths(p, step, on_device);
  const at::Tensor text = pack_text(step.batch.text, lengths, grid.height * grid.width);
  const at::Tensor x0 = train::scale_latents(pack_latents(latents.to(at::kFloat)), step.vae, 2);
  const at::Tensor noise = at::empty_like(x0).normal_(0, 1, step.generator);
  const at::Tensor timestep =
      train::sample_timesteps(x0.size(0), resolution_shift(latents), step.generator, p.sigmas.device());
  const at::Tensor sigma = p.sigmas.index_select(0, timestep);
  const at::Tensor image = train::add_noise(x0, noise, sigma).to(train::compute_dtype(p.sigmas.device().type()));
  const std::int64_t text_tokens = fixes::longest(lengths);
  const at::Tensor no_image = at::zeros({image.size(0), text_tokens, image.size(2)}, image.options());
  const at::Tensor predicted = forward(p.transformer,
                                       {.hidden_states = at::cat({no_image, image}, 1),
                                        .encoder_hidden_states = text,
                                        .timestep = 1.0 - sigma,
                                        .ids = ids(p, step, on_device, grid)},
                                       step.blocks);
  return {.predicted = predicted.slice(1, text_tokens), .target = x0 - noise};
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
                                 .text_features = config->llm_features_dim,
                                 .shortest_text = config->shortest_text},
                      .predict = [predictor](const train::MicroStep& step) { return predict(*predictor, step); }};
}

}  // namespace zerostall::ideogram4
