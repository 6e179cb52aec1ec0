// Linear layer with 8-bit weights and 8-bit activations (W8A8), int8 or fp8 (e4m3fn), frozen: gradients flow to the
// input only. Source of the formulas: shared/design/reference-step.md section C.
//
// y[m,n] = s_w * s_x[m] * sum_k q_x[m,k] q_w[n,k]. Against the float product the error of one output is at most
//   |y - x.w| <= sum_k |x[m,k]| * e_w[n,k] + sum_k |w^[n,k]| * e_x[m,k],   w^ = s_w q_w,
// e the rounding error of a factor, plus the rounding of y to the compute dtype:
//   int8: e = s/2 (half a quantum); the sum is exact in int32 (needs K < 2^31 / 127^2, about 133,000)
//   fp8:  e = max(|value| * 2^-4, s * 2^-10) (3 bits of mantissa, subnormals of 2^-9); the sum is of fp32
#pragma once
#include <ATen/ATen.h>

namespace zerostall::train {

struct W8A8Weight {
  at::Tensor q;      // int8 or fp8 [N(out), K(in)], row-major; K and N multiples of 8 (int8) or 16 (fp8)
  at::Tensor scale;  // s_w: fp32 scalar on the same device, one for the whole tensor
};

// Per-tensor quantisation of a float weight [N,K]; dtype kChar or kFloat8_e4m3fn.
//   int8: s_w = max(max|W|/127, 1e-30), q = clamp(round_half_even(W/s_w), -128, 127)
//   fp8:  s_w = max(max|W|/448, 1e-30), q = cast(clamp(W/s_w, -448, 448))
W8A8Weight quantize_weight(const at::Tensor& weight, at::ScalarType dtype = at::kChar);

// A weight [out,in] made on `device` itself, uniform with variance 1/in, as an already quantised checkpoint would be
// loaded. int8: no float copy ever exists (fp8: a bf16 one, of this weight alone, for the moment). On the simulated GPU
// no memory page is touched.
W8A8Weight random_weight(std::int64_t in, std::int64_t out, at::Device device, at::ScalarType dtype = at::kChar);

// Rows of activations [M,K] with one scale per row ("token"): s[m] = max(max_k|x[m,k]|/127, 1e-30), fp32 [M,1]; 448
// instead of 127 for fp8.
struct QuantizedRows {
  at::Tensor q;      // int8 or fp8 [M,K]
  at::Tensor scale;  // fp32 [M,1]
};
QuantizedRows quantize_rows(const at::Tensor& rows, at::ScalarType dtype = at::kChar);

// Where the constant scale of the activations in an fp8 product comes from.
enum class UnitScale {
  made_per_call,  // from a host number: one blocking upload per forward pass through a linear (B.1 #16)
  cached,         // fix fp8-scale-cached: none
};

// x [..., K] of any float dtype -> [..., N] in compute_dtype. With more than 16 rows the 8-bit product (torch._int_mm
// wants M > 16), else the weight is dequantised and multiplied in compute_dtype. Backward: the rows of dL/dy are
// quantised in turn, dx[m,k] = s_w * s_g[m] * sum_n q_g[m,n] q_w[n,k], in the dtype of dL/dy; only (q, scale) are kept
// for it, not x.
//   int8: torch._int_mm. Nothing waits for the device.
//   fp8:  torch._scaled_mm into fp32, s_w inside, s_x outside. Needs compute capability 8.9 or newer. `unit_scale`
//         decides about the one wait. In the backward pass W is copied to column-major and the constants are filled on
//         the device: no wait. On the CPU, where _scaled_mm depends on the machine, the same product of the same fp8
//         numbers is computed in fp32.
at::Tensor w8a8_linear(const at::Tensor& x, const W8A8Weight& weight, at::ScalarType compute_dtype,
                       UnitScale unit_scale = UnitScale::made_per_call);

}  // namespace zerostall::train
