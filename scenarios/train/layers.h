// Small pieces that the transformers share. Sources: reference-step.md section E (names and formulas are diffusers').
#pragma once
#include <ATen/ATen.h>

#include <vector>

namespace zerostall::train {

// Rotary position embedding.
struct RopeTable {
  at::Tensor cos, sin;  // fp32 [S, D]; each frequency twice in a row (interleaved pairs)
};

// ids [S, axes] (any integer dtype); axis a takes dims[a] (even) of the D = sum(dims) head dimensions, with frequencies
// theta^(-2i/dims[a]) computed in float64 on ids' device.
RopeTable rope_table(const at::Tensor& ids, at::IntArrayRef dims, double theta);

// x [B, S, H, D]: pair (x0, x1) -> (x0 cos - x1 sin, x1 cos + x0 sin), in fp32, returned in x's dtype.
at::Tensor apply_rope(const at::Tensor& x, const RopeTable& table);

// x [..., 2n] -> silu(first half) * second half, [..., n].
at::Tensor swiglu(const at::Tensor& x);

// t [B] -> fp32 [B, channels]: cos(t w_i) first, then sin(t w_i), w_i = 10000^(-i / (channels/2)).
at::Tensor timestep_embedding(const at::Tensor& t, std::int64_t channels);

// (1 + scale) * layer_norm(x) + shift, without learned weights; x [B, S, d], scale and shift broadcastable to it.
at::Tensor modulated_norm(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale, double eps);

// Scaled dot product attention over [B, S, H, D] -> [B, S, H*D], no mask.
at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v);

}  // namespace zerostall::train
