// Cached samples on the host and the loader that brings them to the device, in the training thread, with the
// reference's blocking uploads. Source: reference-step.md A.3.1 and rows B.1 #1 to #3; sizes in section 0.
#pragma once
#include <ATen/ATen.h>

#include <cstddef>
#include <vector>

namespace zerostall::train {

struct CachedSample {      // all in pageable host memory
  at::Tensor latent;       // bf16 [C, H, W], before patchify and scaling
  at::Tensor tokens;       // int64 [L]
  at::Tensor tokens_mask;  // int64 [L]
  at::Tensor text;         // bf16 [L, F], text encoder's hidden states
  float loss_weight = 1;
};

struct Batch {  // the same, stacked, on the device
  at::Tensor latents, tokens, tokens_mask, text;
  at::Tensor loss_weight;                  // fp32 [B]
  std::vector<std::int64_t> text_lengths;  // of each sample, known on the host all along (fix host-lengths)
};

struct SampleShape {
  std::int64_t latent_channels, latent_height, latent_width, text_length, text_features;
  std::int64_t shortest_text = 0;  // text lengths vary between this and text_length; 0: all are text_length
};

// `count` samples with random content. The loader repeats them, so a few are enough for any number of steps.
std::vector<CachedSample> random_samples(std::size_t count, const SampleShape& shape);

class Loader {
 public:
  Loader(std::vector<CachedSample> samples, std::size_t batch, at::Device device)
      : samples_(std::move(samples)), batch_(batch), device_(device) {}

  // The next `batch` samples, starting over at the end. On CUDA 5 blocking uploads a sample (4 tensors and 1 scalar),
  // each followed by a wait for the stream; then stacks on the device.
  Batch next();

 private:
  std::vector<CachedSample> samples_;
  std::size_t batch_;
  at::Device device_;
  std::size_t position_ = 0;
};

}  // namespace zerostall::train
