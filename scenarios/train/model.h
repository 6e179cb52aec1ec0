// A model under training, as the run sees it: what is trained, what its cached samples look like, one micro-step's
// prediction. Each model folder (flux2/, ideogram4/, ernie/) makes one. Source: reference-step.md A.4 and E.
#pragma once
#include <ATen/ATen.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "scenarios/train/block_linear.h"
#include "scenarios/train/block_runner.h"
#include "scenarios/train/loader.h"
#include "scenarios/train/vae.h"

namespace zerostall::train {

struct ModelOptions {
  at::Device device;
  scenarios::Weights weights = scenarios::Weights::int8;
  const FixesOn* fixes = nullptr;  // not owned; outlives the model
  std::int64_t pixels = 0;         // edge of the image; 0: the size's own
};

// One micro-step, given to the model under Autocast. References are valid during the call only.
struct MicroStep {
  const Batch& batch;  // on the device
  const Vae& vae;
  const at::Generator& generator;  // of the device, seeded for this micro-step
  const FixesOn& fixes;
  const BlockRunner& blocks;
};

// [B, ...] each, same shape; the loss is the mean over all but the first dimension of their squared difference.
struct Predicted {
  at::Tensor predicted, target;
};

struct Model {
  std::vector<NamedParameter> parameters;       // trained leaves
  std::vector<std::vector<at::Tensor>> blocks;  // big weights of each block, in running order (layer offloading)
  SampleShape sample;                           // of its cached samples
  // Host waits: only those that scenarios/catalog.cpp declares for this model.
  std::function<Predicted(const MicroStep&)> predict;
};

// The configuration of that name among a model's own (a range of values with a `name`); nullopt if there is none.
template <class Configs>
std::optional<typename Configs::value_type> find_named(const Configs& configs, std::string_view name) {
  const auto found =
      std::find_if(configs.begin(), configs.end(), [&](const auto& config) { return config.name == name; });
  if (found == configs.end()) return std::nullopt;
  return *found;
}

}  // namespace zerostall::train
