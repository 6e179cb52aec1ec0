// A whole training run of one model: model, VAE, where things live, loader, optimizer, and what happens between the
// updates (epochs, backup, sampling, validation, resume). Source: reference-step.md A.1, A.2, A.3, A.5.
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
  Options training;
  std::vector<CachedSample> samples;  // empty: settings.samples random ones
};

// Owns everything of a run. Not copyable or movable: hooks and the job refer to it.
class Run {
 public:
  explicit Run(RunOptions options);  // makes model, VAE and samples, then applies the device setup
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Trains options.training.updates updates; returns how often the loss reading called cudaEventSynchronize.
  std::int64_t train(LossLog& log);

  const std::vector<NamedParameter>& parameters() const { return model_.parameters; }
  const DeviceSetup& setup() const { return setup_; }
  const Vae& vae() const { return vae_; }

 private:
  at::Tensor loss(std::int64_t micro_step) const;  // fp32 scalar, with graph
  void before_update(std::int64_t update);

  RunOptions options_;
  FixesOn fixes_;
  Model model_;
  Vae vae_;
  DeviceSetup setup_;
  Loader loader_;
  std::unique_ptr<LayerOffload> offload_;
  BlockRunner blocks_;
  Batch batch_;
};

}  // namespace zerostall::train
