#include "scenarios/train/run.h"

#include "scenarios/train/autocast.h"
#include "scenarios/train/flow_matching.h"

namespace zerostall::train {
namespace {

RunOptions prepared(RunOptions options) {
  at::manual_seed(options.seed);
  // The reference runs flash attention; on compute capability 9.0 LibTorch would prefer cuDNN's.
  at::globalContext().setSDPUseCuDNN(false);
  return options;
}

// A new generator on the device per micro-step; its state lives on the host, so seeding moves nothing.
at::Generator step_generator(at::Device device, std::uint64_t seed) {
  at::Generator generator = at::globalContext().defaultGenerator(device).clone();
  generator.set_current_seed(seed);
  return generator;
}

std::vector<CachedSample> samples_of(const RunOptions& options, const Model& model) {
  if (!options.samples.empty()) return options.samples;
  return random_samples(static_cast<std::size_t>(options.settings.samples), model.sample);
}

}  // namespace

Run::Run(RunOptions options)
    : options_(prepared(std::move(options))),
      fixes_(options_.fixes),
      model_(options_.make_model({.device = options_.device,
                                  .weights = options_.settings.weights,
                                  .fixes = &fixes_,
                                  .pixels = options_.settings.pixels})),
      vae_(make_vae()),
      setup_{.train_device = options_.device,
             .parts = {{.name = "transformer", .move_to = [](at::Device) {}, .needed_in_step = true},
                       {.name = "vae", .move_to = [this](at::Device to) { vae_.to(to); }, .needed_in_step = false}},
             .after = {}},
      loader_(samples_of(options_, model_), static_cast<std::size_t>(options_.batch), options_.device),
      blocks_{.anchor = at::zeros({}, at::TensorOptions().device(options_.device)).requires_grad_()} {
  vae_.to(options_.device);  // where it encoded the latents that are cached now
  setup_.after.push_back([this] {
    if (fixes_.bn_pinning) fixes::pin_batch_norm(vae_.bn, options_.device);
  });
  setup_.apply();
}

void Run::before_update(std::int64_t update) {
  for (const Undo& undo : options_.undo) {
    if (undo.from_update != update || undo.fix == nullptr) continue;
    fixes_.*undo.fix = false;
    if (undo.fix == &FixesOn::bn_pinning) vae_.to(setup_.temp_device);
  }
}

std::int64_t Run::train(LossLog& log) {
  Options training = options_.training;
  training.loss_reading = fixes_.loss_reading;
  for (const Undo& undo : options_.undo)
    if (undo.fix == nullptr) training.blocking_from = undo.from_update;
  Job job{.load = [this](std::int64_t) { batch_ = loader_.next(); },
          .loss = [this](std::int64_t micro_step) { return loss(micro_step); },
          .before_update = [this](std::int64_t update) { before_update(update); },
          .parameters = {}};
  for (const NamedParameter& parameter : model_.parameters) job.parameters.push_back(parameter.value);
  return train::train(job, training, log, options_.device);
}

at::Tensor Run::loss(std::int64_t micro_step) const {
  const Autocast autocast(options_.device.type());
  const at::Generator generator =
      step_generator(options_.device, options_.seed + static_cast<std::uint64_t>(micro_step));
  const Predicted out =
      model_.predict({.batch = batch_, .vae = vae_, .generator = generator, .fixes = fixes_, .blocks = blocks_});
  return flow_loss(out.predicted, out.target, batch_.loss_weight);
}

}  // namespace zerostall::train
