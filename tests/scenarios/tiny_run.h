// A whole run of a small model, and what came out of it.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/train/autocast.h"
#include "scenarios/train/run.h"

namespace zerostall::train {

using Make = std::optional<Model> (*)(std::string_view size, const ModelOptions& options);

// On the CPU device, at a learning rate that moves weights.
inline RunOptions tiny_options(Make make, const FixesOn& fixes, std::int64_t updates = 10, std::string size = "tiny") {
  return {.make_model = [make, size](const ModelOptions& options) { return *make(size, options); },
          .settings = {},
          .device = at::kCPU,
          .fixes = fixes,
          .undo = {},
          .training = {.updates = updates, .learning_rate = 0.05},
          .samples = {},
          .all_reduce_mean = {}};
}

struct Result {
  std::vector<std::string> names;
  std::vector<at::Tensor> weights;
  std::vector<LossLine> lines;
};

inline Result run(RunOptions options) {
  Result result;
  Run scenario(std::move(options));
  LossLog log([&](const LossLine& line) { result.lines.push_back(line); });
  scenario.train(log);
  for (const NamedParameter& p : scenario.parameters()) {
    result.names.push_back(p.name);
    result.weights.push_back(p.value.detach().clone());
  }
  return result;
}

inline bool same_weights(const Result& a, const Result& b) {
  for (std::size_t i = 0; i < a.weights.size(); ++i) {
    if (!a.weights[i].equal(b.weights[i])) return false;
  }
  return a.weights.size() == b.weights.size();
}

// What a model is given for one micro-step.
struct OneStep {
  at::Device device;
  Batch batch;
  Vae vae;
  FixesOn fixes;
  BlockRunner blocks;

  // As new each time, so that the same draws can be made again.
  at::Generator generator() const {
    at::Generator made = at::globalContext().defaultGenerator(device).clone();
    made.set_current_seed(9);
    return made;
  }
  Predicted predict(const Model& model) const {
    const Autocast autocast(device.type());
    const at::Generator drawn = generator();
    return model.predict({.batch = batch, .vae = vae, .generator = drawn, .fixes = fixes, .blocks = blocks});
  }
};

// All samples as one batch on `device`; the VAE is on the host, as after its eviction.
inline OneStep one_step(std::vector<CachedSample> samples, at::Device device = at::kCPU) {
  const std::size_t count = samples.size();
  return {.device = device,
          .batch = Loader(std::move(samples), count, device).next(),
          .vae = make_vae(),
          .fixes = {},
          .blocks = {.anchor = at::zeros({}, at::TensorOptions().device(device)).requires_grad_()}};
}

}  // namespace zerostall::train
