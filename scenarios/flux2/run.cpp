#include "scenarios/flux2/run.h"

#include <algorithm>
#include <array>

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
    Config{.name = "klein-4b", .heads = 24, .double_blocks = 5, .single_blocks = 20, .text_features = 7680},
    Config{.name = "klein-9b", .heads = 32, .double_blocks = 8, .single_blocks = 24, .text_features = 12288},
    Config{.name = "dev",
           .heads = 48,
           .double_blocks = 8,
           .single_blocks = 48,
           .text_features = 15360,
           .guidance_embeds = true},
};

constexpr std::size_t kCachedSamples = 4;  // host memory stays small; the loader repeats them
constexpr double kGuidanceScale = 1.0;

RunOptions prepared(RunOptions options) {
  at::manual_seed(options.seed);
  if (options.samples.empty()) {
    options.samples = train::random_samples(
        kCachedSamples, {Config::kLatentChannels, options.config.latent_size, options.config.latent_size,
                         options.config.text_length, options.config.text_features});
  }
  return options;
}

// Position ids on the device, [product of the lengths, 4].
at::Tensor position_ids(std::array<std::int64_t, 4> lengths, at::Device device) {
  std::vector<at::Tensor> axes;
  for (const std::int64_t length : lengths)
    axes.push_back(at::arange(length, at::TensorOptions().dtype(at::kLong).device(device)));
  return at::cartesian_prod(axes);
}

// A new generator on the device per micro-step; its state lives on the host, so seeding moves nothing.
at::Generator step_generator(at::Device device, std::uint64_t seed) {
  at::Generator generator = at::globalContext().defaultGenerator(device).clone();
  generator.set_current_seed(seed);
  return generator;
}

}  // namespace

std::optional<Config> find_config(std::string_view name) {
  const auto* found = std::find_if(kConfigs.begin(), kConfigs.end(), [&](const Config& c) { return c.name == name; });
  if (found == kConfigs.end()) return std::nullopt;
  return *found;
}

Run::Run(RunOptions options)
    : options_(prepared(std::move(options))),
      model_(make_transformer(options_.config, options_.device)),
      vae_(train::make_vae()),
      setup_{.train_device = options_.device,
             .parts = {{.name = "transformer", .move_to = [](at::Device) {}, .needed_in_step = true},
                       {.name = "vae", .move_to = [this](at::Device to) { vae_.to(to); }, .needed_in_step = false}},
             .after = {}},
      loader_(options_.samples, static_cast<std::size_t>(options_.batch), options_.device),
      sigmas_(train::sigma_table(options_.device)) {
  vae_.to(options_.device);  // where it encoded the latents that are cached now
  // The reference runs flash attention; on compute capability 9.0 LibTorch would prefer cuDNN's.
  at::globalContext().setSDPUseCuDNN(false);
  if (options_.pin_batch_norm) {
    setup_.after.push_back([this] { fixes::pin_batch_norm(vae_.bn, options_.device); });
  }
  setup_.apply();
}

void Run::before_update(std::int64_t update) {
  if (update == options_.unpin_from) vae_.to(setup_.temp_device);
}

std::int64_t Run::train(train::LossLog& log) {
  train::Job job{.load = [this](std::int64_t) { batch_ = loader_.next(); },
                 .loss = [this](std::int64_t micro_step) { return loss(micro_step); },
                 .before_update = [this](std::int64_t update) { before_update(update); },
                 .parameters = {}};
  for (const train::NamedParameter& parameter : model_.parameters) job.parameters.push_back(parameter.value);
  return train::train(job, options_.training, log, options_.device);
}

at::Tensor Run::guidance() const {
  if (!options_.config.guidance_embeds) return {};
  // A host number made a device tensor in every micro-step: 2 bytes, pageable, blocking (B.1 #12).
  const at::Tensor value = at::full({1}, kGuidanceScale, at::kBFloat16).to(options_.device);
  return value.expand({options_.batch});
}

at::Tensor Run::loss(std::int64_t micro_step) const {
  const train::Autocast autocast(options_.device.type());
  const at::Device device = options_.device;
  const at::Generator generator = step_generator(device, options_.seed + static_cast<std::uint64_t>(micro_step));
  const at::Tensor x0 = train::scale_latents(train::patchify(batch_.latents.to(at::kFloat)), vae_);
  const at::Tensor noise = at::empty_like(x0).normal_(0, 1, generator);
  const std::int64_t height = x0.size(2), width = x0.size(3);
  const at::Tensor timestep =
      train::sample_timesteps(x0.size(0), train::dynamic_shift(height * width), generator, device);
  const at::Tensor noisy = train::add_noise(x0, noise, sigmas_.index_select(0, timestep));
  const at::Tensor predicted = forward(model_, {.hidden_states = train::pack(noisy).to(at::kBFloat16),
                                                .encoder_hidden_states = batch_.text,
                                                .timestep = timestep / train::kTrainTimesteps,
                                                .guidance = guidance(),
                                                .txt_ids = position_ids({1, 1, 1, batch_.text.size(1)}, device),
                                                .img_ids = position_ids({1, height, width, 1}, device)});
  return train::flow_loss(train::unpatchify(train::unpack(predicted, height)),
                          train::unpatchify(train::flow_target(x0, noise)), batch_.loss_weight);
}

}  // namespace zerostall::flux2
