#include "scenarios/train/layer_offload.h"

#include <cmath>

namespace zerostall::train {

LayerOffload::LayerOffload(std::vector<std::vector<at::Tensor>> blocks, double fraction, bool asynchronous,
                           at::Device device)
    : blocks_(blocks.size()), resident_(blocks.size()), asynchronous_(asynchronous), device_(device) {
  const auto count = static_cast<std::size_t>(std::lround(fraction * static_cast<double>(blocks.size())));
  for (std::size_t i = blocks.size() - count; i < blocks.size(); ++i)
    for (const at::Tensor& weight : blocks[i]) {
      at::Tensor host = weight.detach().cpu();
      if (asynchronous_ && device_.is_cuda()) host = host.pin_memory();
      blocks_[i].push_back({.weight = weight, .host = host});
      blocks_[i].back().weight.set_data(host);
    }
}

void LayerOffload::before_block(std::size_t index) {
  if (blocks_[index].empty() || index == resident_) return;
  const at::NoGradGuard no_grad;
  if (resident_ < blocks_.size())
    for (Layer& layer : blocks_[resident_]) layer.weight.set_data(layer.host);
  for (Layer& layer : blocks_[index]) layer.weight.set_data(layer.host.to(device_, asynchronous_));
  resident_ = index;
}

}  // namespace zerostall::train
