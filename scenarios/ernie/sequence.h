// The one sequence [image, text] that Ernie Image attends over: positions and mask, both from lengths that stay on the
// device. Source: reference-step.md section E; positions are those of diffusers (transformer_ernie_image.py).
#pragma once
#include <ATen/ATen.h>

#include <cstdint>

namespace zerostall::ernie {

struct Grid {
  std::int64_t height, width;  // in tokens
};

// text_lengths: int64 [B] on the device. -> int64 [B, height * width + text_tokens, 3]: image (length of the sample's
// text, y, x), text (i, 0, 0).
at::Tensor position_ids(const at::Tensor& text_lengths, Grid grid, std::int64_t text_tokens);

// bool [B, 1, 1, image_tokens + text_tokens]: false for the padding behind a sample's text.
at::Tensor attention_mask(const at::Tensor& text_lengths, std::int64_t image_tokens, std::int64_t text_tokens);

}  // namespace zerostall::ernie
