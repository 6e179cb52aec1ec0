#include "scenarios/train/w8a8_linear.h"

#include <torch/csrc/autograd/custom_function.h>

#include <cmath>

namespace zerostall::train {
namespace {

constexpr double kSmallestScale = 1e-30;  // keeps an all-zero row or weight from dividing by zero
constexpr std::int64_t kIntMmRows = 16;   // _int_mm wants more rows than this

// The products promote to fp32 in one kernel; round() rounds half to even.
at::Tensor to_int8(const at::Tensor& values, const at::Tensor& scale) {
  return values.mul(scale.reciprocal()).round_().clamp_(-128, 127).to(at::kChar);
}

// int32 [rows, cols] times the weight's scale and one scale per row.
at::Tensor rescale(const at::Tensor& product, const at::Tensor& weight_scale, const at::Tensor& row_scale,
                   at::ScalarType dtype) {
  return product.mul(weight_scale.mul(row_scale)).to(dtype);
}

class Int8Matmul : public torch::autograd::Function<Int8Matmul> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x, const at::Tensor& weight_q,
                            const at::Tensor& weight_scale, at::ScalarType compute_dtype) {
    context->save_for_backward({weight_q, weight_scale});
    const QuantizedRows rows = quantize_rows(x);
    return rescale(at::_int_mm(rows.q, weight_q.t()), weight_scale, rows.scale, compute_dtype);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const at::NoGradGuard no_grad;
    const torch::autograd::variable_list saved = context->get_saved_variables();
    const QuantizedRows rows = quantize_rows(gradients[0]);
    at::Tensor dx = rescale(at::_int_mm(rows.q, saved[0]), saved[1], rows.scale, gradients[0].scalar_type());
    return {dx, at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

}  // namespace

W8A8Weight quantize_weight(const at::Tensor& weight) {
  const at::NoGradGuard no_grad;
  const at::Tensor values = weight.to(at::kFloat);
  const at::Tensor scale = values.abs().amax().div_(127).clamp_min_(kSmallestScale);
  return {.q = to_int8(values, scale).contiguous(), .scale = scale};
}

W8A8Weight random_weight(std::int64_t in, std::int64_t out, at::Device device) {
  const at::NoGradGuard no_grad;
  // Uniform on [-127 s, 127 s] has variance (127 s)^2 / 3.
  const double scale = std::sqrt(3.0 / static_cast<double>(in)) / 127;
  return {.q = at::empty({out, in}, at::TensorOptions().dtype(at::kChar).device(device)).random_(-127, 128),
          .scale = at::full({}, scale, at::TensorOptions().dtype(at::kFloat).device(device))};
}

QuantizedRows quantize_rows(const at::Tensor& rows) {
  // abs and amax run in the input's dtype, the division in fp32.
  const at::Tensor scale = rows.abs().amax(-1, /*keepdim=*/true).to(at::kFloat).div(127).clamp_min_(kSmallestScale);
  return {.q = to_int8(rows, scale), .scale = scale};
}

at::Tensor w8a8_linear(const at::Tensor& x, const W8A8Weight& weight, at::ScalarType compute_dtype) {
  const std::int64_t in = x.size(-1);
  if (x.numel() / in <= kIntMmRows) {
    const at::Tensor dequantized = weight.q.to(at::kFloat).mul_(weight.scale).to(compute_dtype);
    return at::linear(x.to(compute_dtype), dequantized);
  }
  std::vector<std::int64_t> shape = x.sizes().vec();
  shape.back() = weight.q.size(0);
  return Int8Matmul::apply(x.reshape({-1, in}), weight.q, weight.scale, compute_dtype).view(shape);
}

}  // namespace zerostall::train
