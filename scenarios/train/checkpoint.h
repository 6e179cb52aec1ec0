// Gradient checkpointing: a block's activations are dropped after the forward pass and computed again in the backward
// pass, on the thread that runs the backward pass. LibTorch has no such function. Source: reference-step.md B.1 #35 and
// section G (on by default).
#pragma once
#include <ATen/ATen.h>

#include <functional>
#include <vector>

namespace zerostall::train {

// A pure function of its inputs and of trained leaf tensors it refers to. Called twice, so it must not draw random
// numbers, and it must open its own Autocast: the second call comes from the autograd thread.
using Block = std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>&)>;

// Same values and gradients as block(inputs); gradients of leaf tensors used inside are accumulated into their .grad
// during the backward pass. `anchor` is any float tensor that requires a gradient (it gets none): without one, a block
// whose inputs need no gradient would be left out of the graph.
std::vector<at::Tensor> checkpoint(Block block, const std::vector<at::Tensor>& inputs, const at::Tensor& anchor);

}  // namespace zerostall::train
