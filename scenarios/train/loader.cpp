#include "scenarios/train/loader.h"

namespace zerostall::train {
namespace {

// Spread evenly over the range, the first sample the shortest.
std::int64_t text_length(std::size_t i, std::size_t count, const SampleShape& shape) {
  if (shape.shortest_text == 0 || count < 2) return shape.text_length;
  return shape.shortest_text + (shape.text_length - shape.shortest_text) * static_cast<std::int64_t>(i) /
                                   static_cast<std::int64_t>(count - 1);
}

}  // namespace

std::vector<CachedSample> random_samples(std::size_t count, const SampleShape& shape) {
  const auto bf16 = at::TensorOptions().dtype(at::kBFloat16);
  const auto int64 = at::TensorOptions().dtype(at::kLong);
  std::vector<CachedSample> samples;
  for (std::size_t i = 0; i < count; ++i) {
    samples.push_back(
        {.latent = at::empty({shape.latent_channels, shape.latent_height, shape.latent_width}, bf16).normal_(),
         .tokens = at::randint(0, 32000, {shape.text_length}, int64),
         .tokens_mask = (at::arange(shape.text_length, int64) < text_length(i, count, shape)).to(at::kLong),
         // Uniform with variance 1: far cheaper to draw than normal, and these are millions of values.
         .text = at::empty({shape.text_length, shape.text_features}, bf16).uniform_(-1.73, 1.73)});
  }
  return samples;
}

Batch Loader::next() {
  std::vector<at::Tensor> latents, tokens, masks, texts, weights;
  std::vector<std::int64_t> lengths;
  for (std::size_t i = 0; i < batch_; ++i) {
    const CachedSample& sample = samples_[position_];
    position_ = (position_ + 1) % samples_.size();
    latents.push_back(sample.latent.to(device_));
    tokens.push_back(sample.tokens.to(device_));
    masks.push_back(sample.tokens_mask.to(device_));
    texts.push_back(sample.text.to(device_));
    lengths.push_back(sample.tokens_mask.sum().item<std::int64_t>());  // on the host
    weights.push_back(at::scalar_tensor(sample.loss_weight, at::kFloat).to(device_));
  }
  return {.latents = at::stack(latents),
          .tokens = at::stack(tokens),
          .tokens_mask = at::stack(masks),
          .text = at::stack(texts),
          .loss_weight = at::stack(weights),
          .text_lengths = std::move(lengths)};
}

}  // namespace zerostall::train
