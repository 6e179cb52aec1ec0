// The VAE as far as a training step with cached latents knows it: a module that setup moves between devices, and the
// batch-norm statistics that the step still reads. Source: reference-step.md section D (AutoencoderKLFlux2).
#pragma once
#include <ATen/ATen.h>

#include <vector>

#include "fixes/bn_pinning.h"

namespace zerostall::train {

struct Vae {
  std::vector<at::Tensor>
      weights;  // fp32; a few of the real convolutions' shapes: enough for an eviction to be real, about 3 MB
  fixes::BatchNormStatistics bn;  // 128 channels = 2x2 patch of 32 latent channels
  double bn_eps = 1e-4;

  // As torch.nn.Module.to: all weights and buffers, the statistics too. Blocking copies.
  void to(at::Device device);
};

// Random weights and statistics, on the host, as if read from a file. Uses the CPU generator.
Vae make_vae();

}  // namespace zerostall::train
