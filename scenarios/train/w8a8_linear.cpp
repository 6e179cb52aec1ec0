#include "scenarios/train/w8a8_linear.h"

#include <torch/csrc/autograd/custom_function.h>

#include <cmath>

#include "fixes/fp8_scale_cached.h"

namespace zerostall::train {
namespace {

constexpr double kSmallestScale = 1e-30;  // keeps an all-zero row or weight from dividing by zero
constexpr std::int64_t kIntMmRows = 16;   // _int_mm wants more rows than this
constexpr at::ScalarType kFp8 = at::kFloat8_e4m3fn;

double largest(at::ScalarType dtype) { return dtype == kFp8 ? 448 : 127; }

// The products promote to fp32 in one kernel; round() rounds half to even, and so does the cast to fp8.
at::Tensor to_8bit(const at::Tensor& values, const at::Tensor& scale, at::ScalarType dtype) {
  const at::Tensor scaled = values.mul(scale.reciprocal());
  if (dtype == kFp8) return scaled.clamp_(-448, 448).to(kFp8);
  return scaled.round_().clamp_(-128, 127).to(at::kChar);
}

// [rows, cols] times the weight's scale and one scale per row.
at::Tensor rescale(const at::Tensor& product, const at::Tensor& weight_scale, const at::Tensor& row_scale,
                   at::ScalarType dtype) {
  return product.mul(weight_scale.mul(row_scale)).to(dtype);
}

class Int8Matmul : public torch::autograd::Function<Int8Matmul> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x, const at::Tensor& weight_q,
                            const at::Tensor& weight_scale, at::ScalarType compute_dtype) {
    context->save_for_backward({weight_q, weight_scale});
    const QuantizedRows rows = quantize_rows(x, at::kChar);
    return rescale(at::_int_mm(rows.q, weight_q.t()), weight_scale, rows.scale, compute_dtype);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const at::NoGradGuard no_grad;
    const torch::autograd::variable_list saved = context->get_saved_variables();
    const QuantizedRows rows = quantize_rows(gradients[0], at::kChar);
    at::Tensor dx = rescale(at::_int_mm(rows.q, saved[0]), saved[1], rows.scale, gradients[0].scalar_type());
    return {dx, at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

// a [M,K] row-major, b [K,N] column-major, both fp8 -> fp32 [M,N].
at::Tensor fp8_product(const at::Tensor& a, const at::Tensor& b, const at::Tensor& scale_a, const at::Tensor& scale_b) {
  if (a.is_cpu()) {
    // Autocast would compute in fp16, which 448 * 448 overflows.
    const c10::impl::ExcludeDispatchKeyGuard in_fp32(at::autocast_dispatch_keyset);
    return at::mm(a.to(at::kFloat), b.to(at::kFloat)).mul_(scale_a * scale_b);
  }
  return at::_scaled_mm(a, b, scale_a, scale_b, /*bias=*/{}, /*scale_result=*/{}, at::kFloat);
}

at::Tensor one(at::Device device, UnitScale unit_scale) {
  if (unit_scale == UnitScale::cached) return fixes::cached_one(device);
  return at::scalar_tensor(1.0, at::kFloat).to(device);  // torch.tensor(1.0, device=device)
}

class Fp8Matmul : public torch::autograd::Function<Fp8Matmul> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x, const at::Tensor& weight_q,
                            const at::Tensor& weight_scale, at::ScalarType compute_dtype, UnitScale unit_scale) {
    context->save_for_backward({weight_q, weight_scale});
    const QuantizedRows rows = quantize_rows(x, kFp8);
    return fp8_product(rows.q, weight_q.t(), one(x.device(), unit_scale), weight_scale)
        .mul_(rows.scale)
        .to(compute_dtype);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const at::NoGradGuard no_grad;
    const torch::autograd::variable_list saved = context->get_saved_variables();
    const QuantizedRows rows = quantize_rows(gradients[0], kFp8);
    const at::Tensor ones = at::ones({}, saved[1].options());
    const at::Tensor column_major = saved[0].t().contiguous().t();
    at::Tensor dx =
        rescale(fp8_product(rows.q, column_major, ones, ones), saved[1], rows.scale, gradients[0].scalar_type());
    return {dx, at::Tensor(), at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

}  // namespace

W8A8Weight quantize_weight(const at::Tensor& weight, at::ScalarType dtype) {
  const at::NoGradGuard no_grad;
  const at::Tensor values = weight.to(at::kFloat);
  const at::Tensor scale = values.abs().amax().div_(largest(dtype)).clamp_min_(kSmallestScale);
  return {.q = to_8bit(values, scale, dtype).contiguous(), .scale = scale};
}

W8A8Weight random_weight(std::int64_t in, std::int64_t out, at::Device device, at::ScalarType dtype) {
  const at::NoGradGuard no_grad;
  // Uniform on [-limit s, limit s] has variance (limit s)^2 / 3.
  const double limit = largest(dtype);
  const double scale = std::sqrt(3.0 / static_cast<double>(in)) / limit;
  const at::TensorOptions there = at::TensorOptions().device(device);
  const at::Tensor q = dtype == kFp8 ? at::empty({out, in}, there.dtype(at::kBFloat16)).uniform_(-limit, limit).to(kFp8)
                                     : at::empty({out, in}, there.dtype(at::kChar)).random_(-127, 128);
  return {.q = q, .scale = at::full({}, scale, there.dtype(at::kFloat))};
}

QuantizedRows quantize_rows(const at::Tensor& rows, at::ScalarType dtype) {
  // abs and amax run in the input's dtype, the division in fp32.
  const at::Tensor scale =
      rows.abs().amax(-1, /*keepdim=*/true).to(at::kFloat).div(largest(dtype)).clamp_min_(kSmallestScale);
  return {.q = to_8bit(rows, scale, dtype), .scale = scale};
}

at::Tensor w8a8_linear(const at::Tensor& x, const W8A8Weight& weight, at::ScalarType compute_dtype,
                       UnitScale unit_scale) {
  const std::int64_t in = x.size(-1);
  if (x.numel() / in <= kIntMmRows) {
    const at::Tensor dequantized = weight.q.to(at::kFloat).mul_(weight.scale).to(compute_dtype);
    return at::linear(x.to(compute_dtype), dequantized);
  }
  std::vector<std::int64_t> shape = x.sizes().vec();
  shape.back() = weight.q.size(0);
  const at::Tensor rows = x.reshape({-1, in});
  const at::Tensor y = weight.q.scalar_type() == kFp8
                           ? Fp8Matmul::apply(rows, weight.q, weight.scale, compute_dtype, unit_scale)
                           : Int8Matmul::apply(rows, weight.q, weight.scale, compute_dtype);
  return y.view(shape);
}

}  // namespace zerostall::train
