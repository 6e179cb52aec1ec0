#include "scenarios/ernie/sequence.h"

namespace zerostall::ernie {

at::Tensor position_ids(const at::Tensor& text_lengths, Grid grid, std::int64_t text_tokens) {
  const auto options = text_lengths.options();
  const std::int64_t batch = text_lengths.size(0);
  const at::Tensor image =
      at::stack({text_lengths.view({-1, 1, 1}).expand({batch, grid.height, grid.width}),
                 at::arange(grid.height, options).view({1, -1, 1}).expand({batch, grid.height, grid.width}),
                 at::arange(grid.width, options).view({1, 1, -1}).expand({batch, grid.height, grid.width})},
                -1)
          .flatten(1, 2);
  const at::Tensor index = at::arange(text_tokens, options);
  const at::Tensor zero = at::zeros_like(index);
  const at::Tensor text = at::stack({index, zero, zero}, -1).unsqueeze(0).expand({batch, -1, -1});
  return at::cat({image, text}, 1);
}

at::Tensor attention_mask(const at::Tensor& text_lengths, std::int64_t image_tokens, std::int64_t text_tokens) {
  const auto options = text_lengths.options();
  const at::Tensor text = at::arange(text_tokens, options).unsqueeze(0).lt(text_lengths.unsqueeze(1));
  const at::Tensor image = at::ones({text_lengths.size(0), image_tokens}, options.dtype(at::kBool));
  return at::cat({image, text}, 1).unsqueeze(1).unsqueeze(1);
}

}  // namespace zerostall::ernie
