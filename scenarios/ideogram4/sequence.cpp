#include "scenarios/ideogram4/sequence.h"

#include "fixes/host_lengths.h"

namespace zerostall::ideogram4 {
namespace {

constexpr std::int64_t kImageOffset = 65536;  // keeps the image's positions apart from those of any text

// int64 [height * width, 3].
at::Tensor image_positions(Grid grid, const at::TensorOptions& options) {
  const at::Tensor y = at::arange(grid.height, options).view({-1, 1}).expand({grid.height, grid.width});
  const at::Tensor x = at::arange(grid.width, options).view({1, -1}).expand({grid.height, grid.width});
  return at::stack({at::zeros_like(y), y, x}, -1).view({-1, 3}) + kImageOffset;
}

}  // namespace

at::Tensor pack_latents(const at::Tensor& latents) {
  const std::int64_t batch = latents.size(0), channels = latents.size(1), height = latents.size(2),
                     width = latents.size(3);
  return latents.view({batch, channels, height / 2, 2, width / 2, 2})
      .permute({0, 2, 4, 3, 5, 1})
      .reshape({batch, (height / 2) * (width / 2), channels * 4});
}

at::Tensor pack_text(const at::Tensor& text, const std::vector<std::int64_t>& lengths, std::int64_t image_tokens) {
  const std::int64_t longest = fixes::longest(lengths), features = text.size(2);
  const at::Tensor no_text = at::zeros({image_tokens, features}, text.options());
  std::vector<at::Tensor> rows;
  for (std::size_t b = 0; b < lengths.size(); ++b) {
    const at::Tensor padding = at::zeros({longest - lengths[b], features}, text.options());
    rows.push_back(at::cat({padding, text[static_cast<std::int64_t>(b)].slice(0, 0, lengths[b]), no_text}));
  }
  return at::stack(rows);
}

SequenceIds sequence_ids(const std::vector<std::int64_t>& lengths, Grid grid, at::Device device) {
  const auto options = at::TensorOptions().dtype(at::kLong).device(device);
  const auto batch = static_cast<std::int64_t>(lengths.size());
  const std::int64_t image_tokens = grid.height * grid.width;
  const at::Tensor index = fixes::left_padded_index(lengths, fixes::longest(lengths), device);
  const at::Tensor text = index.ge(0).to(at::kLong);  // 1 where text, 0 where padding
  const at::Tensor image = at::ones({batch, image_tokens}, options);
  return {.position_ids = at::cat({index.clamp_min(0).unsqueeze(-1).expand({-1, -1, 3}),
                                   image_positions(grid, options).unsqueeze(0).expand({batch, -1, -1})},
                                  1),
          .segment_ids = at::cat({text * 2 - 1, image}, 1),
          .indicator = at::cat({text * kTextToken, image * kImageToken}, 1)};
}

at::Tensor attention_mask(const at::Tensor& segment_ids) {
  return segment_ids.unsqueeze(2).eq(segment_ids.unsqueeze(1)).unsqueeze(1);
}

train::RopeTable mrope_table(const at::Tensor& position_ids, std::int64_t head_dim,
                             const std::array<std::int64_t, 3>& section, double theta) {
  const at::NoGradGuard no_grad;
  const auto fp32 = at::TensorOptions().dtype(at::kFloat).device(position_ids.device());
  const at::Tensor frequencies = 1.0 / at::pow(theta, at::arange(0, head_dim, 2, fp32) / static_cast<double>(head_dim));
  const at::Tensor index = at::arange(head_dim / 2, fp32.dtype(at::kLong));
  const std::vector<at::Tensor> position = position_ids.to(at::kFloat).unsqueeze(-1).unbind(2);  // t, h, w: [B, L, 1]
  at::Tensor turned_by = position[0];
  for (std::size_t axis = 1; axis < 3; ++axis) {
    const auto number = static_cast<std::int64_t>(axis);
    const at::Tensor of_axis = index.remainder(3).eq(number).logical_and(index.lt(3 * section[axis]));
    turned_by = at::where(of_axis, position[axis], turned_by);
  }
  const at::Tensor half = turned_by * frequencies;
  const at::Tensor angles = at::cat({half, half}, -1);
  return {.cos = angles.cos(), .sin = angles.sin()};
}

}  // namespace zerostall::ideogram4
