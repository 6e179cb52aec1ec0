#include "scenarios/train/flow_matching.h"

#include <cmath>

namespace zerostall::train {

at::Tensor patchify(const at::Tensor& latents) {
  const std::int64_t batch = latents.size(0), channels = latents.size(1), height = latents.size(2),
                     width = latents.size(3);
  return latents.view({batch, channels, height / 2, 2, width / 2, 2})
      .permute({0, 1, 3, 5, 2, 4})
      .reshape({batch, channels * 4, height / 2, width / 2});
}

at::Tensor unpatchify(const at::Tensor& patches) {
  const std::int64_t batch = patches.size(0), channels = patches.size(1) / 4, height = patches.size(2),
                     width = patches.size(3);
  return patches.reshape({batch, channels, 2, 2, height, width})
      .permute({0, 1, 4, 2, 5, 3})
      .reshape({batch, channels, height * 2, width * 2});
}

at::Tensor pack(const at::Tensor& patches) { return patches.flatten(2).permute({0, 2, 1}); }

at::Tensor unpack(const at::Tensor& tokens, std::int64_t height) {
  return tokens.permute({0, 2, 1}).unflatten(2, {height, -1});
}

at::Tensor scale_latents(const at::Tensor& latents, const Vae& vae, std::int64_t channel_dim) {
  const auto there = latents.options();
  std::vector<std::int64_t> shape(static_cast<std::size_t>(latents.dim()), 1);
  shape.at(static_cast<std::size_t>(channel_dim)) = -1;
  const at::Tensor mean = vae.bn.running_mean.view(shape).to(there);
  const at::Tensor std = at::sqrt(vae.bn.running_var.view(shape) + vae.bn_eps).to(there);
  return (latents - mean) / std;
}

double dynamic_shift(std::int64_t sequence_length) {
  constexpr double slope = (1.15 - 0.5) / (4096 - 256);
  return std::exp(0.5 + slope * (static_cast<double>(sequence_length) - 256));
}

at::Tensor shift_timestep(const at::Tensor& t, double shift) {
  return t * (kTrainTimesteps * shift) / (t * (shift - 1) + kTrainTimesteps);
}

at::Tensor sample_timesteps(std::int64_t batch, double shift, const at::Generator& generator, at::Device device) {
  const at::Tensor normal =
      at::empty({batch}, at::TensorOptions().dtype(at::kFloat).device(device)).normal_(0, 1, generator);
  return shift_timestep(normal.sigmoid() * kTrainTimesteps, shift).to(at::kLong);
}

at::Tensor sigma_table(at::Device device) {
  return at::arange(1, kTrainTimesteps + 1, at::TensorOptions().dtype(at::kFloat).device(device)) / kTrainTimesteps;
}

at::Tensor add_noise(const at::Tensor& x0, const at::Tensor& noise, const at::Tensor& sigma) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(x0.dim()), 1);
  shape.front() = -1;
  const at::Tensor weight = sigma.view(shape);
  return noise * weight + x0 * (1 - weight);
}

at::Tensor flow_target(const at::Tensor& x0, const at::Tensor& noise) { return noise - x0; }

at::Tensor flow_loss(const at::Tensor& predicted, const at::Tensor& target, const at::Tensor& loss_weight) {
  const at::Tensor squared = at::mse_loss(predicted.to(at::kFloat), target.to(at::kFloat), at::Reduction::None);
  return (squared.flatten(1).mean(1) * loss_weight).mean();
}

at::Tensor with_prior(const at::Tensor& target, const at::Tensor& prior) {
  std::vector<std::int64_t> samples;
  for (std::int64_t i = 1; i < target.size(0); i += 2) samples.push_back(i);
  if (samples.empty()) return target;
  const at::Tensor list = at::tensor(samples);
  const at::Tensor values = prior.index_select(0, list.to(target.device())).to(target.scalar_type());
  return target.index_copy(0, list.to(target.device()), values);
}

}  // namespace zerostall::train
