#include "scenarios/train/checkpoint.h"

#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <utility>

namespace zerostall::train {
namespace {

// The autograd context can hold the block only as an IValue.
struct BlockHolder : torch::CustomClassHolder {
  explicit BlockHolder(Block function) : block(std::move(function)) {}
  Block block;
};

std::vector<at::Tensor> detached(const torch::autograd::variable_list& saved) {
  std::vector<at::Tensor> inputs;
  for (const at::Tensor& tensor : saved) inputs.push_back(tensor.detach().requires_grad_(tensor.requires_grad()));
  return inputs;
}

// Reentrant: stays on this thread. An output that depends on nothing trained has no graph of its own, though the
// checkpoint as a whole has one: its gradient ends here.
void backward_of(const std::vector<at::Tensor>& outputs, const torch::autograd::variable_list& gradients) {
  torch::autograd::variable_list trained, their_gradients;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].requires_grad()) continue;
    trained.push_back(outputs[i]);
    their_gradients.push_back(gradients[i]);
  }
  torch::autograd::backward(trained, their_gradients);
}

class Recompute : public torch::autograd::Function<Recompute> {
 public:
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context,
                                                c10::intrusive_ptr<BlockHolder> holder, at::TensorList inputs,
                                                const at::Tensor& /*anchor*/) {
    context->save_for_backward(inputs.vec());
    context->saved_data["block"] = c10::IValue::make_capsule(holder);
    return holder->block(inputs.vec());
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto holder = c10::static_intrusive_pointer_cast<BlockHolder>(context->saved_data["block"].toCapsule());
    const std::vector<at::Tensor> inputs = detached(context->get_saved_variables());
    {
      const at::AutoGradMode with_grad(true);
      backward_of(holder->block(inputs), gradients);
    }
    torch::autograd::variable_list result{at::Tensor()};  // for the block
    for (const at::Tensor& input : inputs) result.push_back(input.grad());
    result.emplace_back();  // for the anchor
    return result;
  }
};

}  // namespace

std::vector<at::Tensor> checkpoint(Block block, const std::vector<at::Tensor>& inputs, const at::Tensor& anchor) {
  return Recompute::apply(c10::make_intrusive<BlockHolder>(std::move(block)), at::TensorList(inputs), anchor);
}

}  // namespace zerostall::train
