// Noise schedule, noising, latents' layout and loss of flow matching training.
// Sources: reference-step.md A.4, section D (patchify, scaling) and E ("Scheduler/loss"). N = 1000 train timesteps.
// All of it is kernels on the tensors' own device; scale_latents alone copies, see there.
#pragma once
#include <ATen/ATen.h>

#include "scenarios/train/vae.h"

namespace zerostall::train {

inline constexpr std::int64_t kTrainTimesteps = 1000;

// [B, C, H, W] -> [B, 4C, H/2, W/2], channel = c*4 + dy*2 + dx; and back.
at::Tensor patchify(const at::Tensor& latents);
at::Tensor unpatchify(const at::Tensor& patches);

// [B, C, H, W] -> [B, H*W, C]; and back, given the height H.
at::Tensor pack(const at::Tensor& patches);
at::Tensor unpack(const at::Tensor& tokens, std::int64_t height);

// (z - mean) / sqrt(var + eps) per channel, z fp32 with its channels along `channel_dim`. Mean and sqrt are computed
// where the statistics live and brought to z's device as two separate copies: with an evicted VAE two uploads of 4*C
// bytes, each of which waits for the whole stream.
at::Tensor scale_latents(const at::Tensor& latents, const Vae& vae, std::int64_t channel_dim = 1);

// s = exp(m * sequence + b), the line through (256 tokens, 0.5) and (4096 tokens, 1.15): the scheduler constants of
// FLUX.1 and FLUX.2.
double dynamic_shift(std::int64_t sequence_length);

// t' = N s t / ((s - 1) t + N), for t in [0, N].
at::Tensor shift_timestep(const at::Tensor& t, double shift);

// One integer timestep per sample, int64 [batch] in [0, N): sigmoid(normal(0, 1)) * N, shifted.
at::Tensor sample_timesteps(std::int64_t batch, double shift, const at::Generator& generator, at::Device device);

// fp32 [N]: sigma[t] = (t + 1) / N. Build once.
at::Tensor sigma_table(at::Device device);

// sigma * noise + (1 - sigma) * x0; sigma [B], the others [B, ...].
at::Tensor add_noise(const at::Tensor& x0, const at::Tensor& noise, const at::Tensor& sigma);

// noise - x0.
at::Tensor flow_target(const at::Tensor& x0, const at::Tensor& noise);

// Mean over the batch of loss_weight[b] * MSE over sample b, in fp32; a scalar. loss_weight fp32 [B], the others
// [B, ...].
at::Tensor flow_loss(const at::Tensor& predicted, const at::Tensor& target, const at::Tensor& loss_weight);

// Prior preservation: a copy of `target` in which every second sample is that of `prior` (both [B, ...]). The numbers
// of the samples are a list on the host, brought to the device once to read and once to write (B.1 #18): two uploads
// that wait, none where the list is empty.
at::Tensor with_prior(const at::Tensor& target, const at::Tensor& prior);

}  // namespace zerostall::train
