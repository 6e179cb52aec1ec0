// Layer offloading ("block swap"): the weights of a fraction of a transformer's blocks live in pinned host memory and
// come to the device shortly before their block runs. Source: reference-step.md B.1 #32, #33, section 0 ("Variants").
#pragma once
#include <ATen/ATen.h>

#include <cstddef>
#include <vector>

namespace zerostall::train {

class LayerOffload {
 public:
  // Takes the big weights of all blocks, in running order, as they lie on `device`, and moves those of the last
  // round(fraction * blocks) blocks to the host.
  LayerOffload(std::vector<std::vector<at::Tensor>> blocks, double fraction, bool asynchronous, at::Device device);

  // Called by the thread that is about to run a block (forward, and again when it is recomputed): afterwards the
  // block's weights are on the device, for work on the current stream.
  void before_block(std::size_t index);

 private:
  struct Layer {
    at::Tensor weight;  // the model's own handle; its storage is swapped
    at::Tensor host;    // pinned copy (asynchronous), else pageable
  };
  std::vector<std::vector<Layer>> blocks_;  // empty list: not offloaded
  std::size_t resident_;                    // the offloaded block that is on the device now; blocks_.size(): none
  bool asynchronous_;
  at::Device device_;
};

}  // namespace zerostall::train
