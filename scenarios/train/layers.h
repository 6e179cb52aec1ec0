// Small pieces that the transformers share. Sources: reference-step.md section E (names and formulas are diffusers').
#pragma once
#include <ATen/ATen.h>

#include <vector>

namespace zerostall::train {

// Rotary position embedding.
struct RopeTable {
  at::Tensor cos, sin;  // fp32 [S, D], or [B, S, D] where each sample has its own ids
};

// ids [S, axes] or [B, S, axes] (any integer dtype); axis a takes dims[a] (even) of the D = sum(dims) head dimensions,
// each frequency twice in a row, theta^(-2i/dims[a]) computed in `precision` on ids' device.
RopeTable rope_table(const at::Tensor& ids, at::IntArrayRef dims, double theta, at::ScalarType precision = at::kDouble);

// x [B, S, H, D]: neighbours (x0, x1) -> (x0 cos - x1 sin, x1 cos + x0 sin), in fp32, returned in x's dtype.
at::Tensor apply_rope(const at::Tensor& x, const RopeTable& table);

// The same with x0 = x[i] and x1 = x[i + D/2], each with the table's own entry; in x's dtype.
at::Tensor apply_rope_halves(const at::Tensor& x, const RopeTable& table);

// x [..., 2n] -> silu(first half) * second half, [..., n].
at::Tensor swiglu(const at::Tensor& x);

enum class Waves { cosines_first, sines_first };

// t [B] -> fp32 [B, channels]: cos(t w_i), i < channels/2, then sin(t w_i), or sines first;
// w_i = 10000^(-i / (channels/2 - frequency_shift)).
at::Tensor timestep_embedding(const at::Tensor& t, std::int64_t channels, Waves order = Waves::cosines_first,
                              double frequency_shift = 0);

// (1 + scale) * layer_norm(x) + shift, without learned weights; x [B, S, d], scale and shift broadcastable to it.
at::Tensor modulated_norm(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale, double eps);

// Scaled dot product attention over [B, S, H, D] -> [B, S, H*D]. mask: bool, broadcastable to [B, H, S, S], true where
// a query (row) may look at a key (column), at least one in each row; undefined: everywhere.
at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const at::Tensor& mask = {});

// A frozen bf16 weight [out, in], uniform with variance 1/in, made on `device` itself with its default generator.
at::Tensor random_weight_bf16(std::int64_t in, std::int64_t out, at::Device device);

// A frozen bf16 linear outside the blocks: not quantised, not adapted.
struct FrozenLinear {
  at::Tensor weight, bias;  // [out, in], [out]; bias may be undefined
};
FrozenLinear random_linear(std::int64_t in, std::int64_t out, at::Device device);  // with a bias, within 1/sqrt(in)
at::Tensor linear(const FrozenLinear& layer, const at::Tensor& x);

}  // namespace zerostall::train
