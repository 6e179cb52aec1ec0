// How Ideogram 4 lays out a sample for its transformer: latents as tokens, [left-pad][text][image] in one sequence, and
// the positions, masks and rotary table that follow from it. Sources: reference-step.md rows I1 to I4, sections D and
// E; layout, offsets and frequencies are those of diffusers (pipeline_ideogram4.py, transformer_ideogram4.py).
#pragma once
#include <ATen/ATen.h>

#include <array>
#include <cstdint>
#include <vector>

#include "scenarios/train/layers.h"

namespace zerostall::ideogram4 {

// [B, C, H, W] -> [B, (H/2)(W/2), 4C], channel = (dy*2 + dx)*C + c: the order of the channels is not that of FLUX.2.
at::Tensor pack_latents(const at::Tensor& latents);

// text [B, >= longest, F], right-padded as it is cached -> [B, longest + image_tokens, F]: each row left-padded with
// zeros to the longest of `lengths`, zeros in place of the image tokens.
at::Tensor pack_text(const at::Tensor& text, const std::vector<std::int64_t>& lengths, std::int64_t image_tokens);

struct Grid {
  std::int64_t height, width;  // in tokens
};

// Of each position of [left-pad][text][image], L = longest text + image tokens.
struct SequenceIds {
  at::Tensor position_ids;  // int64 [B, L, 3], axes t, h, w: text (i, i, i), image 65536 + (0, y, x), padding 0
  at::Tensor segment_ids;   // int64 [B, L]: 1, padding -1
  at::Tensor indicator;     // int64 [B, L]: 3 text, 2 image, 0 padding
};
inline constexpr std::int64_t kTextToken = 3, kImageToken = 2;

// Made on `device`, without a copy from the host. The reference makes them on the host and uploads the three.
SequenceIds sequence_ids(const std::vector<std::int64_t>& lengths, Grid grid, at::Device device);

// bool [B, 1, L, L]: a position sees those of its own segment.
at::Tensor attention_mask(const at::Tensor& segment_ids);

// Multi-axis rotary table [B, L, head_dim], each half of it the same. Frequency i is theta^(-2i/head_dim), in fp32; it
// turns by the position on axis h if i mod 3 = 1 and i < 3 section[1], on w if i mod 3 = 2 and i < 3 section[2], else
// on t.
train::RopeTable mrope_table(const at::Tensor& position_ids, std::int64_t head_dim,
                             const std::array<std::int64_t, 3>& section, double theta);

}  // namespace zerostall::ideogram4
