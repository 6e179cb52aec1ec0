// The arithmetic of convolutions: output size and modelled time.
#pragma once
#include "profiler/simgpu/dnn/types.h"

namespace zerostall::simgpu::dnn {

// Length of one spatial dimension of the result.
int convolved(int input, int filter, int pad, int stride, int dilation);

// A convolution as a matrix product: every output element takes channels / groups x filter points multiplications.
// All three passes (forward, data gradient, filter gradient) take the same number of operations.
// `output_elements` counts batch x channels x points of the forward result.
std::int64_t convolution_ns(double output_elements, double output_channels, double filter_elements, int bits);

}  // namespace zerostall::simgpu::dnn
