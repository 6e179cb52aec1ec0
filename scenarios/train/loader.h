// Cached samples on the host and the loader that brings them to the device, in the training thread: with the
// reference's blocking uploads, or with fix pinned-batch. Source: reference-step.md A.3.1 and rows B.1 #1 to #3; sizes
// in section 0.
#pragma once
#include <ATen/ATen.h>

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "fixes/pinned_batch.h"
#include "scenarios/train/fixes_on.h"

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

// `count` samples with random content, their texts slices of one tensor. The loader repeats them, so a few are enough
// for any number of steps.
std::vector<CachedSample> random_samples(std::size_t count, const SampleShape& shape);

class Loader {
 public:
  // All samples have the same shapes. `fixes` (not owned; null: no fix) is asked at each batch, so that pinned-batch
  // can be undone in mid-run; the pinned memory is allocated here if it is on.
  Loader(std::vector<CachedSample> samples, std::size_t batch, at::Device device, const FixesOn* fixes = nullptr);

  // The next `batch` samples, starting over at the end; the same ones with and without the fix. On CUDA without
  // pinned-batch 5 blocking uploads a sample (4 tensors and 1 scalar), each followed by a wait for the stream, then
  // stacks on the device; with it 5 copies a batch from pinned memory on a stream of their own, sent one batch ahead,
  // and no host wait.
  Batch next();

  // Continue as if `batches` had been handed out since the first sample (after loading a backup).
  void seek(std::int64_t batches);

  std::int64_t samples() const { return static_cast<std::int64_t>(samples_.size()); }
  std::int64_t event_waits() const { return staging_ ? staging_->event_waits() : 0; }

 private:
  const CachedSample& next_sample();
  Batch load_blocking();
  Batch load_ahead();
  void send_ahead();
  void drop_ahead();  // what was sent ahead is loaded again
  void make_staging();

  std::vector<CachedSample> samples_;
  std::size_t batch_;
  at::Device device_;
  const FixesOn* fixes_;
  std::size_t position_ = 0;                                  // of the next sample to be read
  std::optional<fixes::PinnedBatch> staging_;                 // fix pinned-batch
  std::deque<std::vector<std::int64_t>> lengths_ahead_ = {};  // of the batches sent ahead
};

}  // namespace zerostall::train
