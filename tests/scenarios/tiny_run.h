// A whole run of a small model, and what came out of it.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/train/run.h"

namespace zerostall::train {

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

// What a model is given for one micro-step, on the CPU.
struct OneStep {
  Batch batch = {};
  Vae vae = make_vae();
  FixesOn fixes = {};
  BlockRunner blocks{.anchor = at::zeros({}).requires_grad_()};
  std::uint64_t seed = 9;

  at::Generator generator() const {
    at::Generator made = at::globalContext().defaultGenerator(at::kCPU).clone();
    made.set_current_seed(seed);
    return made;
  }
  Predicted predict(const Model& model) const {
    const at::Generator drawn = generator();
    return model.predict({.batch = batch, .vae = vae, .generator = drawn, .fixes = fixes, .blocks = blocks});
  }
};

inline OneStep one_step(std::vector<CachedSample> samples) {
  const std::size_t count = samples.size();
  OneStep step;
  step.batch = Loader(std::move(samples), count, at::kCPU).next();
  return step;
}

}  // namespace zerostall::train
