// Fix `bn-pinning`: keep a VAE's batch-norm statistics on the train device while the rest of the VAE is offloaded to
// the host. Source: shared/design/reference-step.md section D ("PR fix 1 semantics"), rows B.1 #4 and #5. Explanation:
// fixes/README.md.
//
// Call it at the end of every setup that evicts the VAE (a later eviction moves the statistics away, the next setup
// repairs it):
//
//   vae.to(at::kCPU);                                                        // evict
//   zerostall::fixes::pin_batch_norm({bn.running_mean, bn.running_var, bn.num_batches_tracked}, train_device);
//
// Valid as long as no forward of the evicted VAE runs: only the statistics may be used on their own.
#pragma once
#include <ATen/ATen.h>

#include <array>

namespace zerostall::fixes {

// The three buffers of a batch norm with tracked statistics: float [C], float [C], int64 []. Undefined ones are
// skipped. The tensors are changed in place through Tensor::set_data, as Module::to does, so a torch::nn::BatchNorm2d's
// registered buffers and all other handles to the same tensor see the move.
struct BatchNormStatistics {
  at::Tensor running_mean, running_var, num_batches_tracked;
};

// Moves the statistics to `device`; returns how many tensors were moved. Idempotent: nothing happens to a tensor that
// is there already (so also with latent caching off, or a CPU train device). Each move is a blocking copy: for setup,
// not for the step.
inline int pin_batch_norm(const BatchNormStatistics& statistics, at::Device device) {
  const at::NoGradGuard no_grad;
  int moved = 0;
  for (const at::Tensor& tensor :
       std::array{statistics.running_mean, statistics.running_var, statistics.num_batches_tracked}) {
    if (!tensor.defined()) continue;
    // "cuda" without an index means the current device: any index matches, so that a second call moves nothing.
    const bool there =
        tensor.device().type() == device.type() && (!device.has_index() || tensor.device().index() == device.index());
    if (there) continue;
    tensor.set_data(tensor.to(device));
    ++moved;
  }
  return moved;
}

}  // namespace zerostall::fixes
