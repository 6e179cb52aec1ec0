#include "scenarios/train/loader.h"

namespace zerostall::train {
namespace {

// Spread evenly over the range, the first sample the shortest.
std::int64_t text_length(std::size_t i, std::size_t count, const SampleShape& shape) {
  if (shape.shortest_text == 0 || count < 2) return shape.text_length;
  return shape.shortest_text + (shape.text_length - shape.shortest_text) * static_cast<std::int64_t>(i) /
                                   static_cast<std::int64_t>(count - 1);
}

// On the host.
std::int64_t length_of(const CachedSample& sample) { return sample.tokens_mask.sum().item<std::int64_t>(); }

}  // namespace

std::vector<CachedSample> random_samples(std::size_t count, const SampleShape& shape) {
  const auto bf16 = at::TensorOptions().dtype(at::kBFloat16);
  const auto int64 = at::TensorOptions().dtype(at::kLong);
  // Uniform with variance 1: far cheaper to draw than normal, and these are millions of values. The texts are views of
  // one buffer, a token apart, so that many samples cost the memory of one.
  const at::Tensor texts = at::empty({shape.text_length + static_cast<std::int64_t>(count), shape.text_features}, bf16)
                               .uniform_(-1.73, 1.73);
  std::vector<CachedSample> samples;
  for (std::size_t i = 0; i < count; ++i) {
    samples.push_back(
        {.latent = at::empty({shape.latent_channels, shape.latent_height, shape.latent_width}, bf16).normal_(),
         .tokens = at::randint(0, 32000, {shape.text_length}, int64),
         .tokens_mask = (at::arange(shape.text_length, int64) < text_length(i, count, shape)).to(at::kLong),
         .text = texts.slice(0, static_cast<std::int64_t>(i), static_cast<std::int64_t>(i) + shape.text_length)});
  }
  return samples;
}

Loader::Loader(std::vector<CachedSample> samples, std::size_t batch, at::Device device, const FixesOn* fixes)
    : samples_(std::move(samples)), batch_(batch), device_(device), fixes_(fixes) {
  if (fixes_ != nullptr && fixes_->pinned_batch) make_staging();
}

void Loader::make_staging() {
  const CachedSample& first = samples_.front();
  std::vector<fixes::PinnedBatch::Field> fields;
  for (const at::Tensor& tensor : {first.latent, first.tokens, first.tokens_mask, first.text}) {
    fields.push_back({.sizes = {static_cast<std::int64_t>(batch_)}, .dtype = tensor.scalar_type()});
    for (const std::int64_t size : tensor.sizes()) fields.back().sizes.push_back(size);
  }
  fields.push_back({.sizes = {static_cast<std::int64_t>(batch_)}, .dtype = at::kFloat});
  staging_.emplace(device_, std::move(fields));
}

Batch Loader::next() {
  if (fixes_ != nullptr && fixes_->pinned_batch) return load_ahead();
  drop_ahead();
  return load_blocking();
}

void Loader::seek(std::int64_t batches) {
  drop_ahead();
  position_ = static_cast<std::size_t>(batches) * batch_ % samples_.size();
}

const CachedSample& Loader::next_sample() {
  const CachedSample& sample = samples_[position_];
  position_ = (position_ + 1) % samples_.size();
  return sample;
}

Batch Loader::load_blocking() {
  std::vector<at::Tensor> latents, tokens, masks, texts, weights;
  std::vector<std::int64_t> lengths;
  for (std::size_t i = 0; i < batch_; ++i) {
    const CachedSample& sample = next_sample();
    latents.push_back(sample.latent.to(device_));
    tokens.push_back(sample.tokens.to(device_));
    masks.push_back(sample.tokens_mask.to(device_));
    texts.push_back(sample.text.to(device_));
    lengths.push_back(length_of(sample));
    weights.push_back(at::scalar_tensor(sample.loss_weight, at::kFloat).to(device_));
  }
  return {.latents = at::stack(latents),
          .tokens = at::stack(tokens),
          .tokens_mask = at::stack(masks),
          .text = at::stack(texts),
          .loss_weight = at::stack(weights),
          .text_lengths = std::move(lengths)};
}

Batch Loader::load_ahead() {
  if (!staging_) make_staging();  // the fix was put on in mid-run
  if (staging_->pending() == 0) send_ahead();
  const std::vector<at::Tensor> fields = staging_->take();
  Batch batch{.latents = fields[0],
              .tokens = fields[1],
              .tokens_mask = fields[2],
              .text = fields[3],
              .loss_weight = fields[4],
              .text_lengths = std::move(lengths_ahead_.front())};
  lengths_ahead_.pop_front();
  send_ahead();
  return batch;
}

void Loader::send_ahead() {
  const std::vector<at::Tensor>& fields = staging_->stage();
  lengths_ahead_.emplace_back();
  for (std::size_t i = 0; i < batch_; ++i) {
    const CachedSample& sample = next_sample();
    const auto row = static_cast<std::int64_t>(i);
    fields[0][row].copy_(sample.latent);
    fields[1][row].copy_(sample.tokens);
    fields[2][row].copy_(sample.tokens_mask);
    fields[3][row].copy_(sample.text);
    fields[4].mutable_data_ptr<float>()[i] = sample.loss_weight;
    lengths_ahead_.back().push_back(length_of(sample));
  }
  staging_->upload();
}

void Loader::drop_ahead() {
  if (!staging_) return;
  const std::size_t ahead = staging_->pending() * batch_ % samples_.size();
  position_ = (position_ + samples_.size() - ahead) % samples_.size();
  staging_->discard();
  lengths_ahead_.clear();
}

}  // namespace zerostall::train
