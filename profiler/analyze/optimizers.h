// Names by which the update of the weights is recognised: it happens once per step, however many micro-steps there are.
#pragma once
#include <string_view>

namespace zerostall {

// A kernel that updates weights: torch's foreach and fused ones, Apex, DeepSpeed, bitsandbytes and others. Letter case
// is ignored. Kernels that go over all gradients for another reason (clipping, unscaling, clearing) are none.
bool is_optimizer_kernel(std::string_view name);

// "Optimizer.step#AdamW.step": the range in which PyTorch puts each update of itself.
bool is_optimizer_range(std::string_view text);

}  // namespace zerostall
