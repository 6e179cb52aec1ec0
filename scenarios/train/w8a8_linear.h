// Linear layer with int8 weights and int8 activations (W8A8), frozen: gradients flow to the input only.
// Source of the formulas: shared/design/reference-step.md section C.
//
// y[m,n] = s_w * s_x[m] * sum_k q_x[m,k] q_w[n,k], the sum exact in int32 (needs K < 2^31 / 127^2, about 133,000).
// Against the float product the error of one output is at most
//   |y - x.w| <= s_w/2 * sum_k |x[m,k]| + s_x[m]/2 * sum_k |s_w q_w[n,k]|       (each factor is off by half a quantum)
// plus the rounding of y to the compute dtype. Nothing here waits for the device.
#pragma once
#include <ATen/ATen.h>

namespace zerostall::train {

struct W8A8Weight {
  at::Tensor q;      // int8 [N(out), K(in)], row-major; K and N multiples of 8
  at::Tensor scale;  // s_w: fp32 scalar on the same device, one for the whole tensor
};

// Per-tensor quantisation of a float weight [N,K]: s_w = max(max|W|/127, 1e-30), q = clamp(round_half_even(W/s_w),
// -128, 127).
W8A8Weight quantize_weight(const at::Tensor& weight);

// A weight [out,in] made on `device` itself, uniform with variance 1/in, as an already quantised checkpoint would be
// loaded. No float copy ever exists, and on the simulated GPU no memory page is touched.
W8A8Weight random_weight(std::int64_t in, std::int64_t out, at::Device device);

// Rows of activations [M,K] with one scale per row ("token"): s[m] = max(max_k|x[m,k]|/127, 1e-30), fp32 [M,1].
struct QuantizedRows {
  at::Tensor q;      // int8 [M,K]
  at::Tensor scale;  // fp32 [M,1]
};
QuantizedRows quantize_rows(const at::Tensor& rows);

// x [..., K] of any float dtype -> [..., N] in compute_dtype. With more than 16 rows the int8 product (torch._int_mm
// wants M > 16), else the weight is dequantised and multiplied in compute_dtype. Backward: the rows of dL/dy are
// quantised in turn, dx[m,k] = s_w * s_g[m] * sum_n q_g[m,n] q_w[n,k], in the dtype of dL/dy; only (q, scale) are kept
// for it, not x.
at::Tensor w8a8_linear(const at::Tensor& x, const W8A8Weight& weight, at::ScalarType compute_dtype);

}  // namespace zerostall::train
