#include "scenarios/train/block_linear.h"

#include <cmath>

#include "scenarios/train/autocast.h"

namespace zerostall::train {
namespace {

thread_local int without_adapters = 0;

}  // namespace

WithoutAdapters::WithoutAdapters() { ++without_adapters; }
WithoutAdapters::~WithoutAdapters() { --without_adapters; }

BlockLinear LinearMaker::unadapted(const std::string& name, std::int64_t in, std::int64_t out) {
  BlockLinear layer{.base = {}, .weight = {}, .down = {}, .up = {}, .alpha = {}, .fixes = fixes};
  if (weights == scenarios::Weights::bf16) {
    const double bound = std::sqrt(3.0 / static_cast<double>(in));
    const auto bf16 = at::TensorOptions().dtype(at::kBFloat16).device(device);
    layer.weight = at::empty({out, in}, bf16).uniform_(-bound, bound).requires_grad_();
    parameters.push_back({name + ".weight", layer.weight});
  } else {
    layer.base = random_weight(in, out, device, weights == scenarios::Weights::fp8 ? at::kFloat8_e4m3fn : at::kChar);
  }
  return layer;
}

BlockLinear LinearMaker::linear(const std::string& name, std::int64_t in, std::int64_t out) {
  BlockLinear layer = unadapted(name, in, out);
  if (weights == scenarios::Weights::bf16) return layer;
  const double bound = 1 / std::sqrt(static_cast<double>(in));
  const auto fp32 = at::TensorOptions().dtype(at::kFloat).device(device);
  layer.down = at::empty({rank, in}, fp32).uniform_(-bound, bound).requires_grad_();
  layer.up = at::zeros({out, rank}, fp32).requires_grad_();
  layer.alpha = at::full({}, alpha, fp32);
  parameters.push_back({name + ".lora_down", layer.down});
  parameters.push_back({name + ".lora_up", layer.up});
  return layer;
}

at::Tensor block_linear(const BlockLinear& layer, const at::Tensor& x) {
  if (layer.weight.defined()) return at::linear(x, layer.weight);
  const bool cached = layer.fixes != nullptr && layer.fixes->fp8_scale_cached;
  const at::Tensor frozen = w8a8_linear(x, layer.base, compute_dtype(x.device().type()),
                                        cached ? UnitScale::cached : UnitScale::made_per_call);
  if (without_adapters > 0 || !layer.down.defined()) return frozen;
  const auto rank = static_cast<double>(layer.down.size(0));
  const at::Tensor branch = at::linear(at::linear(x, layer.down), layer.up) * (layer.alpha / rank);
  return frozen + branch;
}

const at::Tensor& big_weight(const BlockLinear& layer) { return layer.weight.defined() ? layer.weight : layer.base.q; }

}  // namespace zerostall::train
