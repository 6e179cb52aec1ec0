#include "scenarios/train/run.h"

#include <algorithm>

#include "profiler/mark/mark.h"
#include "scenarios/host_waits.h"
#include "scenarios/train/autocast.h"
#include "scenarios/train/backup.h"
#include "scenarios/train/flow_matching.h"
#include "scenarios/train/scratch_file.h"

namespace zerostall::train {
namespace {

constexpr std::int64_t kFewSamples = 4;  // where none is asked for: host memory stays small, the loader repeats them
constexpr std::int64_t kResumedUpdates = 2;
constexpr std::int64_t kDenoisingSteps = 2;

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

// Without latent caching a sample holds its image.
SampleShape sample_shape(const RunOptions& options, const Model& model) {
  SampleShape shape = model.sample;
  if (options.settings.latent_caching) return shape;
  shape.latent_channels = 3;
  shape.latent_height *= 8;
  shape.latent_width *= 8;
  return shape;
}

std::vector<CachedSample> samples_of(const RunOptions& options, const Model& model) {
  if (!options.samples.empty()) return options.samples;
  const std::int64_t count = options.settings.samples > 0 ? options.settings.samples : kFewSamples;
  return random_samples(static_cast<std::size_t>(count), sample_shape(options, model));
}

std::unique_ptr<LayerOffload> make_offload(const RunOptions& options, const Model& model) {
  if (options.settings.offload <= 0) return nullptr;
  return std::make_unique<LayerOffload>(model.blocks, options.settings.offload, options.settings.offload_async,
                                        options.device);
}

// Where a backup that was loaded without the fix would have left the optimizer's step counters.
void move_steps(Optimizer& optimizer, at::Device device) {
  for (const StateEntry& entry : optimizer.state())
    if (entry.kind == "step" && !entry.host_number && entry.tensor->defined()) *entry.tensor = entry.tensor->to(device);
  optimizer.state_replaced();
}

at::ScalarType dtype_of(const scenarios::Settings& settings) {
  return settings.precision == scenarios::Precision::fp16 ? at::kHalf : at::kBFloat16;
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
             // The frozen weights stay where they are: moving them would need as much host memory as the model has.
             .parts = {{.name = "transformer", .move_to = [](at::Device) {}, .needed_in_step = true},
                       {.name = "vae",
                        .move_to = [this](at::Device to) { vae_.to(to); },
                        .needed_in_step = !options_.settings.latent_caching}},
             .after = {}},
      loader_(samples_of(options_, model_), static_cast<std::size_t>(options_.batch), options_.device, &fixes_),
      offload_(make_offload(options_, model_)),
      blocks_{.anchor = at::zeros({}, at::TensorOptions().device(options_.device)).requires_grad_(),
              .offload = offload_.get()},
      schedule_(schedule_of(options_.settings, options_.batch)) {
  vae_.to(options_.device);
  if (options_.settings.latent_caching)
    cache_latents(vae_, loader_.samples(), model_.sample.latent_height * 8, options_.device);
  setup_.after.push_back([this] {
    if (fixes_.bn_pinning) fixes::pin_batch_norm(vae_.bn, options_.device);
  });
  setup_.apply();
}

Job Run::make_job() {
  Job job{.load = [this](std::int64_t micro_step) { load(micro_step); },
          .loss = [this](std::int64_t micro_step) { return loss(micro_step); },
          .before_micro_step =
              [this](std::int64_t micro_step) {
                if (schedule_.epoch_begins(micro_step)) begin_epoch();
              },
          .parameters = {},
          .all_reduce_mean = options_.all_reduce_mean};
  for (const NamedParameter& parameter : model_.parameters) job.parameters.push_back(parameter.value);
  return job;
}

std::int64_t Run::train(LossLog& log) {
  const scenarios::Settings& settings = options_.settings;
  Options training = options_.training;
  training.loss_reading = fixes_.loss_reading;
  training.optimizer = settings.optimizer;
  training.fused_back_pass = settings.fused_back_pass;
  training.scale_gradients = settings.precision == scenarios::Precision::fp16;
  training.tensor_learning_rate = settings.tensor_learning_rate;
  training.ema = settings.ema;
  for (const Undo& undo : options_.undo)
    if (undo.fix == nullptr) training.blocking_from = undo.from_update;
  const Job job = make_job();
  Trainer trainer(job, training, log, options_.device, &fixes_);
  if (settings.resume) resume(job, training, trainer);
  for (std::int64_t update = 0; update < training.updates; ++update) {
    before_update(update, trainer);
    trainer.run(update);
  }
  trainer.finish();
  if (offload_) offload_->to_host();
  return trainer.event_waits();
}

void Run::undo(std::int64_t update, Trainer& trainer) {
  for (const Undo& undo : options_.undo) {
    if (undo.from_update != update || undo.fix == nullptr) continue;
    fixes_.*undo.fix = false;
    if (undo.fix == &FixesOn::bn_pinning) vae_.to(setup_.temp_device);
    if (undo.fix == &FixesOn::resume_steps_on_cpu) move_steps(trainer.optimizer(), options_.device);
  }
}

void Run::before_update(std::int64_t update, Trainer& trainer) {
  undo(update, trainer);
  if (schedule_.validate_due(update)) validate(update);
  if (schedule_.sample_due(update)) sample();
  if (schedule_.backup_due(update)) backup(trainer);
}

// As upstream: memory is collected and everything put in its place again.
void Run::begin_epoch() {
  const mark::Region region(scenarios::kEpochRegion);
  vae_.to(options_.device);
  setup_.apply();
}

void Run::validate(std::int64_t update) const {
  const at::NoGradGuard no_grad;
  const mark::Region region(kValidateRegion);
  if (!batch_.latents.defined()) return;
  const at::Tensor concept_seed = at::full({}, update, at::TensorOptions().dtype(at::kLong).device(options_.device));
  concept_seed.item<std::int64_t>();
  const Autocast autocast(options_.device.type(), dtype_of(options_.settings));
  const Predicted out = predict(update);
  flow_loss(out.predicted, out.target, batch_.loss_weight).item<float>();
}

void Run::sample() {
  const at::NoGradGuard no_grad;
  const mark::Region region(kSampleRegion);
  if (!batch_.latents.defined()) return;
  {
    const Autocast autocast(options_.device.type(), dtype_of(options_.settings));
    for (std::int64_t i = 0; i < kDenoisingSteps; ++i) predict(i);
  }
  vae_.to(options_.device);
  const std::int64_t edge = model_.sample.latent_height / 2;
  decode(vae_, at::zeros({1, 128, edge, edge}, at::TensorOptions().device(options_.device))).cpu();
  setup_.apply();
}

void Run::backup(Trainer& trainer) {
  const mark::Region region(kBackupRegion);
  trainer.finish();  // no value may be lost, and no NaN saved unseen
  setup_.evict();
  if (offload_) offload_->to_host();
  const ScratchFile file;
  save_backup(file.path(), model_.parameters, trainer.optimizer(), 0);
  setup_.apply();
}

// An earlier run of a few updates, its backup, and that one loaded again.
void Run::resume(const Job& job, const Options& options, Trainer& trainer) {
  const mark::Region region(kResumeRegion);
  const ScratchFile file;
  {
    Options earlier = options;
    earlier.marked = false;
    earlier.blocking_from = -1;
    LossLog nowhere([](const LossLine&) {});
    Trainer first(job, earlier, nowhere, options_.device, &fixes_);
    for (std::int64_t update = 0; update < kResumedUpdates; ++update) first.run(update);
    first.finish();
    save_backup(file.path(), model_.parameters, first.optimizer(), kResumedUpdates);
  }
  const std::int64_t updates = load_backup(file.path(), model_.parameters, trainer.optimizer(), fixes_);
  first_micro_step_ = updates * options.accumulation;
  loader_.seek(first_micro_step_);
}

void Run::load(std::int64_t) {
  batch_ = loader_.next();
  if (options_.settings.latent_caching) return;
  const at::NoGradGuard no_grad;
  batch_.latents = encode(vae_, batch_.latents).to(at::kBFloat16);
}

Predicted Run::predict(std::int64_t micro_step) const {
  const auto number = static_cast<std::uint64_t>(first_micro_step_ + micro_step);
  const at::Generator generator = step_generator(options_.device, options_.seed + number);
  return model_.predict({.batch = batch_, .vae = vae_, .generator = generator, .fixes = fixes_, .blocks = blocks_});
}

at::Tensor Run::loss(std::int64_t micro_step) const {
  const Autocast autocast(options_.device.type(), dtype_of(options_.settings));
  Predicted out;
  if (options_.settings.prior_preservation) {
    at::Tensor prior;
    {
      const at::NoGradGuard no_grad;
      const WithoutAdapters without;
      prior = predict(micro_step).predicted;
    }
    out = predict(micro_step);
    out.target = with_prior(out.target, prior);
  } else {
    out = predict(micro_step);
  }
  return flow_loss(out.predicted, out.target, batch_.loss_weight);
}

}  // namespace zerostall::train
