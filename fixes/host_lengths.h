// Fix `host-lengths`: how long each text of a padded batch is, taken from the host, which knew it when it loaded the
// batch, instead of read back from the device. Sources: shared/design/reference-step.md rows I1 to I4 and E1.
// Explanation: fixes/README.md.
//
//   std::vector<std::int64_t> lengths = zerostall::fixes::count_lengths(mask_on_the_host);      // in the loader
//   text = text.slice(1, 0, zerostall::fixes::longest(lengths));                                // no .max().item()
//   auto index = zerostall::fixes::left_padded_index(lengths, width, device);                   // no ids uploaded
//
// Nothing here waits for a device or copies to one.
#pragma once
#include <ATen/ATen.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace zerostall::fixes {

// How many entries of each row of `mask` [B, S] (bool or integer, 0 or 1) are set. Throws c10::Error if the mask is on
// a device already: reading it there is the wait that this fix removes.
inline std::vector<std::int64_t> count_lengths(const at::Tensor& mask) {
  TORCH_CHECK(mask.is_cpu() && mask.dim() == 2, "count_lengths: needs the mask [batch, length] on the host, got ",
              mask.sizes(), " on ", mask.device());
  const at::Tensor sums = mask.to(at::kLong).sum(1).contiguous();
  const auto* first = sums.const_data_ptr<std::int64_t>();
  return {first, first + sums.numel()};
}

// 0 for no texts.
inline std::int64_t longest(const std::vector<std::int64_t>& lengths) {
  return lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
}

// int64 [B, width] on `device`: of each position of a left-padded batch its distance from the first token of its own
// text, negative in the padding; row b counts up from lengths[b] - longest(lengths). Everything that depends on the
// lengths (positions, masks, roles) follows from it by comparison. The lengths travel as arguments of kernels.
inline at::Tensor left_padded_index(const std::vector<std::int64_t>& lengths, std::int64_t width, at::Device device) {
  TORCH_CHECK(!lengths.empty(), "left_padded_index: needs the length of at least one text");
  const at::NoGradGuard no_grad;
  const auto options = at::TensorOptions().dtype(at::kLong).device(device);
  const std::int64_t all = longest(lengths);
  std::vector<at::Tensor> rows;
  for (const std::int64_t length : lengths) rows.push_back(at::arange(length - all, length - all + width, options));
  return at::stack(rows);
}

}  // namespace zerostall::fixes
