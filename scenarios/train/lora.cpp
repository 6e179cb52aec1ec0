#include "scenarios/train/lora.h"

#include <cmath>

namespace zerostall::train {

LoraLinear make_lora_linear(const std::string& name, std::int64_t in, std::int64_t out, at::Device device,
                            std::vector<NamedParameter>& parameters, std::int64_t rank, double alpha) {
  const auto fp32 = at::TensorOptions().dtype(at::kFloat).device(device);
  const double bound = 1 / std::sqrt(static_cast<double>(in));
  LoraLinear layer{.base = random_weight(in, out, device),
                   .down = at::empty({rank, in}, fp32).uniform_(-bound, bound).requires_grad_(),
                   .up = at::zeros({out, rank}, fp32).requires_grad_(),
                   .alpha = at::full({}, alpha, fp32)};
  parameters.push_back({name + ".lora_down", layer.down});
  parameters.push_back({name + ".lora_up", layer.up});
  return layer;
}

at::Tensor lora_linear(const LoraLinear& layer, const at::Tensor& x) {
  const auto rank = static_cast<double>(layer.down.size(0));
  const at::Tensor branch = at::linear(at::linear(x, layer.down), layer.up) * (layer.alpha / rank);
  return w8a8_linear(x, layer.base, at::kBFloat16) + branch;
}

}  // namespace zerostall::train
