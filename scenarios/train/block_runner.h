// Runs a transformer's blocks: each is recomputed in the backward pass (gradient checkpointing), and with layer
// offloading its weights are brought to the device right before it runs, forward and again in the backward pass.
#pragma once
#include <utility>

#include "scenarios/train/checkpoint.h"
#include "scenarios/train/layer_offload.h"

namespace zerostall::train {

struct BlockRunner {
  at::Tensor anchor;                // see train::checkpoint
  LayerOffload* offload = nullptr;  // not owned; null: all weights are on the device
  bool checkpointing = true;

  // `index` counts the model's blocks in the order of Model::blocks. `body` as for train::checkpoint.
  std::vector<at::Tensor> run(std::size_t index, Block body, const std::vector<at::Tensor>& inputs) const {
    Block whole = std::move(body);
    // Without recomputation a backward pass would read weights whose place another block has by then.
    TORCH_CHECK(offload == nullptr || checkpointing || !at::GradMode::is_enabled(),
                "layer offloading needs gradient checkpointing where gradients are wanted");
    if (offload != nullptr)
      whole = [index, offload = offload, body = std::move(whole)](const std::vector<at::Tensor>& in) {
        offload->before_block(index);
        return body(in);
      };
    return checkpointing ? checkpoint(std::move(whole), inputs, anchor) : whole(inputs);
  }
};

}  // namespace zerostall::train
