// A whole training run of one model: model, VAE, where things live, loader, trainer, and what happens between the
// updates (life.h). Source: reference-step.md A.1, A.2, A.3, A.5.
#pragma once
#include <ATen/ATen.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "scenarios/settings.h"
#include "scenarios/train/device_setup.h"
#include "scenarios/train/fixes_on.h"
#include "scenarios/train/layer_offload.h"
#include "scenarios/train/life.h"
#include "scenarios/train/loader.h"
#include "scenarios/train/model.h"
#include "scenarios/train/trainer.h"
#include "scenarios/train/vae.h"

namespace zerostall::train {

// Undo a fix in mid-run, to see that the gate catches it.
struct Undo {
  bool FixesOn::*fix = nullptr;  // null: loss_reading
  std::int64_t from_update = 0;
};

using MakeModel = std::function<Model(const ModelOptions&)>;

struct RunOptions {
  MakeModel make_model;
  scenarios::Settings settings;
  at::Device device = at::kCPU;
  std::int64_t batch = 2;
  std::uint64_t seed = 42;
  FixesOn fixes;
  std::vector<Undo> undo;
  Options training;                                        // what `settings` says too is taken from there
  std::vector<CachedSample> samples;                       // empty: random ones, settings.samples of them or a few
  std::function<void(const at::Tensor&)> all_reduce_mean;  // of several ranks; empty: one
};

// Owns everything of a run. Not copyable or movable: hooks and the job refer to it.
class Run {
 public:
  explicit Run(RunOptions options);  // makes model, VAE and samples, caches, then applies the device setup
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Trains options.training.updates updates; returns how often the loss reading called cudaEventSynchronize. Throws
  // std::runtime_error if a backup cannot be written.
  std::int64_t train(LossLog& log);

  const std::vector<NamedParameter>& parameters() const { return model_.parameters; }
  const DeviceSetup& setup() const { return setup_; }
  const Vae& vae() const { return vae_; }

 private:
  at::Tensor loss(std::int64_t micro_step) const;  // fp32 scalar, with graph
  Predicted predict(std::int64_t micro_step) const;
  void load(std::int64_t micro_step);
  void before_update(std::int64_t update, Trainer& trainer);
  void undo(std::int64_t update, Trainer& trainer);
  void begin_epoch();
  void validate(std::int64_t update) const;
  void sample();
  void backup(Trainer& trainer);
  void resume(const Job& job, const Options& options, Trainer& trainer);
  Job make_job();

  RunOptions options_;
  FixesOn fixes_;
  Model model_;
  Vae vae_;
  DeviceSetup setup_;
  Loader loader_;
  std::unique_ptr<LayerOffload> offload_;
  BlockRunner blocks_;
  Schedule schedule_;
  std::int64_t first_micro_step_ = 0;  // made before this run by the one it resumes
  Batch batch_;
};

}  // namespace zerostall::train
