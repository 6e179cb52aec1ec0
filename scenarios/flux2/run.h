// The FLUX.2 training run: setup, one micro-step's forward pass, the job for the trainer.
// Source: reference-step.md A.1, A.4, A.5, sections D and E.
#pragma once
#include <ATen/ATen.h>

#include <functional>
#include <memory>
#include <vector>

#include "scenarios/flux2/transformer.h"
#include "scenarios/train/device_setup.h"
#include "scenarios/train/loader.h"
#include "scenarios/train/trainer.h"
#include "scenarios/train/vae.h"

namespace zerostall::flux2 {

struct RunOptions {
  Config config;
  at::Device device = at::kCPU;
  std::int64_t batch = 2;
  std::uint64_t seed = 42;
  bool pin_batch_norm = false;   // fix bn-pinning
  std::int64_t unpin_from = -1;  // sabotage: from this update on the statistics are evicted again (-1: never)
  train::Options training;
  std::vector<train::CachedSample> samples;  // empty: 4 random ones
};

// Owns everything of a run. Not copyable or movable: hooks and the job refer to it.
class Run {
 public:
  explicit Run(RunOptions options);  // makes model, VAE and samples, then applies the device setup
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Trains options.training.updates updates; returns how often the loss reading called cudaEventSynchronize.
  std::int64_t train(train::LossLog& log);

  const std::vector<train::NamedParameter>& parameters() const { return model_.parameters; }
  const train::DeviceSetup& setup() const { return setup_; }
  const train::Vae& vae() const { return vae_; }

 private:
  at::Tensor loss(std::int64_t micro_step) const;  // fp32 scalar, with graph
  at::Tensor guidance() const;
  void before_update(std::int64_t update);

  RunOptions options_;
  Transformer model_;
  train::Vae vae_;
  train::DeviceSetup setup_;
  train::Loader loader_;
  train::Batch batch_;
  at::Tensor sigmas_;
};

}  // namespace zerostall::flux2
