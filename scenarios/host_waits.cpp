#include "scenarios/host_waits.h"

#include <algorithm>
#include <cmath>

#include "fixes/catalog.h"

namespace zerostall::scenarios {
namespace {

constexpr std::string_view kTrain = "train", kLoad = "load";

// 4 cached tensors and 1 scalar of each sample.
constexpr int kUploadsPerSample = 5;

bool reads_step_counters(const Settings& settings) {
  return settings.optimizer == OptimizerKind::adamw && settings.resume;
}

// The last blocks are offloaded, and each comes twice per micro-step, forward and recomputed; the outermost two are
// still there when the order turns. Formula: scenarios/train/layer_offload.h.
int offload_waits(const Traits& model, const Settings& settings) {
  std::vector<int> weights(static_cast<std::size_t>(model.wide_blocks), model.wide_block_weights);
  weights.insert(weights.end(), static_cast<std::size_t>(model.blocks), model.block_weights);
  const auto count = static_cast<std::size_t>(std::lround(settings.offload * static_cast<double>(weights.size())));
  if (count == 0) return 0;
  int sum = 0;
  for (std::size_t i = weights.size() - count; i < weights.size(); ++i) sum += weights[i];
  return 2 * sum - weights[weights.size() - count] - weights.back();
}

}  // namespace

int trained_tensors(const Size& size, const Settings& settings) {
  return settings.weights == Weights::bf16 ? size.traits.trained_weights : 2 * size.traits.adapted_linears;
}

std::vector<HostWait> host_waits(const Size& size, const Settings& settings, int batch, int micro_steps) {
  const Traits& model = size.traits;
  const int predictions = micro_steps * (settings.prior_preservation ? 2 : 1);
  const int tensors = trained_tensors(size, settings);
  std::vector<HostWait> waits;
  const auto add = [&](HostWait wait) {
    if (wait.per_update > 0) waits.push_back(wait);
  };
  add({kLoad, "pinned-batch", kUploadsPerSample * batch * micro_steps, true,
       "the loader uploads 4 cached tensors (latent, text features, tokens, token mask) and 1 scalar (loss weight) of "
       "each sample, one blocking copy from pageable memory each"});
  if (settings.latent_caching)
    add({kTrain, "bn-pinning", 2 * predictions, true,
         "mean and deviation of the VAE's batch norm are uploaded from the evicted VAE"});
  add({kTrain, "host-lengths", model.text_length_reads * predictions, false,
       "the lengths of the texts are read from the device"});
  add({kTrain, "host-lengths", model.id_uploads * predictions, true,
       "position ids and segment ids are built on the host and uploaded"});
  if (model.guidance)
    add({kTrain, "cached-guidance", predictions, true,
         "FLUX.2 dev embeds the guidance scale: a host number becomes a device tensor in each micro-step (2 bytes, "
         "blocking)"});
  if (settings.weights == Weights::fp8) {
    const int forwards = 2 * micro_steps + (settings.prior_preservation ? micro_steps : 0);  // recomputed once
    add({kTrain, "fp8-scale-cached", model.large_linears * forwards, true,
         "the scale 1.0 of the fp8 product is made from a host number at each forward pass of each linear"});
  }
  if (settings.prior_preservation && batch > 1)
    add({kTrain, "", 2 * micro_steps, true, "two host lists of indices mix the prior's prediction into the target"});
  if (settings.precision == Precision::fp16)
    add({kTrain, "deferred-finite-check", 1, false,
         "the gradient scaler's overflow flag is read before the optimizer"});
  if (reads_step_counters(settings))
    add({kTrain, "resume-steps-on-cpu", tensors, false,
         "after a resume the optimizer's step counters lie on the device, and AdamW reads each"});
  if (settings.tensor_learning_rate && settings.optimizer == OptimizerKind::adamw)
    add({kTrain, "", tensors, false, "the learning rate is a device tensor that AdamW reads for each parameter"});
  add({kTrain, "async-loss", 1, false, "the loss is read for the log line and the NaN check"});
  if (settings.ema == Ema::cpu)
    add({kTrain, "async-ema", tensors, false, "each trained tensor is downloaded for the moving average on the host"});
  if (settings.offload > 0 && !settings.offload_async)
    add({kTrain, "", offload_waits(model, settings) * micro_steps, true,
         "offloaded blocks' weights come with a blocking copy each (offload-async=on copies without waiting)"});
  return waits;
}

std::vector<std::string_view> applicable_fixes(const std::vector<HostWait>& waits) {
  std::vector<std::string_view> names;
  for (const fixes::Fix& fix : fixes::all())
    if (std::any_of(waits.begin(), waits.end(),
                    [&](const HostWait& wait) { return wait.fix == fixes::base_name(fix.name); }))
      names.push_back(fix.name);
  return names;
}

std::vector<std::string> listed_regions(const Settings& settings) {
  if (settings.samples == 0) return {};
  return {kEpochRegion};
}

}  // namespace zerostall::scenarios
