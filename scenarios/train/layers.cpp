#include "scenarios/train/layers.h"

#include <cmath>

namespace zerostall::train {

RopeTable rope_table(const at::Tensor& ids, at::IntArrayRef dims, double theta, at::ScalarType precision) {
  const at::NoGradGuard no_grad;
  const auto options = at::TensorOptions().dtype(precision).device(ids.device());
  std::vector<at::Tensor> cos, sin;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    const at::Tensor exponents = at::arange(0, dims[axis], 2, options) / static_cast<double>(dims[axis]);
    const at::Tensor frequencies = 1.0 / at::pow(theta, exponents);
    const at::Tensor angles = ids.select(-1, static_cast<std::int64_t>(axis)).to(precision).unsqueeze(-1) * frequencies;
    // output_size spares a read of the size from the device.
    cos.push_back(angles.cos().repeat_interleave(2, -1, dims[axis]).to(at::kFloat));
    sin.push_back(angles.sin().repeat_interleave(2, -1, dims[axis]).to(at::kFloat));
  }
  return {.cos = at::cat(cos, -1), .sin = at::cat(sin, -1)};
}

at::Tensor apply_rope(const at::Tensor& x, const RopeTable& table) {
  const at::Tensor cos = table.cos.unsqueeze(-2);
  const at::Tensor sin = table.sin.unsqueeze(-2);
  const std::vector<at::Tensor> pair = x.unflatten(-1, {-1, 2}).unbind(-1);
  const at::Tensor rotated = at::stack({pair[1].neg(), pair[0]}, -1).flatten(3);
  return (x.to(at::kFloat) * cos + rotated.to(at::kFloat) * sin).to(x.scalar_type());
}

at::Tensor apply_rope_halves(const at::Tensor& x, const RopeTable& table) {
  const std::vector<at::Tensor> halves = x.chunk(2, -1);
  const at::Tensor rotated = at::cat({halves[1].neg(), halves[0]}, -1);
  return x * table.cos.unsqueeze(-2).to(x.scalar_type()) + rotated * table.sin.unsqueeze(-2).to(x.scalar_type());
}

at::Tensor swiglu(const at::Tensor& x) {
  const std::vector<at::Tensor> halves = x.chunk(2, -1);
  return at::silu(halves[0]) * halves[1];
}

at::Tensor timestep_embedding(const at::Tensor& t, std::int64_t channels, Waves order, double frequency_shift) {
  const std::int64_t half = channels / 2;
  const auto fp32 = at::TensorOptions().dtype(at::kFloat).device(t.device());
  const double fall = -std::log(10000.0) / (static_cast<double>(half) - frequency_shift);
  const at::Tensor exponents = at::arange(half, fp32) * fall;
  const at::Tensor angles = t.to(at::kFloat).unsqueeze(1) * exponents.exp().unsqueeze(0);
  if (order == Waves::sines_first) return at::cat({angles.sin(), angles.cos()}, -1);
  return at::cat({angles.cos(), angles.sin()}, -1);
}

at::Tensor modulated_norm(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale, double eps) {
  return (1 + scale) * at::layer_norm(x, {x.size(-1)}, {}, {}, eps) + shift;
}

at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const at::Tensor& mask) {
  const std::optional<at::Tensor> given = mask.defined() ? std::optional(mask) : std::nullopt;
  return at::scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), given)
      .transpose(1, 2)
      .flatten(2);
}

at::Tensor random_weight_bf16(std::int64_t in, std::int64_t out, at::Device device) {
  const double bound = std::sqrt(3.0 / static_cast<double>(in));
  return at::empty({out, in}, at::TensorOptions().dtype(at::kBFloat16).device(device)).uniform_(-bound, bound);
}

FrozenLinear random_linear(std::int64_t in, std::int64_t out, at::Device device) {
  const double bound = 1 / std::sqrt(static_cast<double>(in));
  const auto bf16 = at::TensorOptions().dtype(at::kBFloat16).device(device);
  return {.weight = random_weight_bf16(in, out, device), .bias = at::empty({out}, bf16).uniform_(-bound, bound)};
}

at::Tensor linear(const FrozenLinear& layer, const at::Tensor& x) { return at::linear(x, layer.weight, layer.bias); }

}  // namespace zerostall::train
