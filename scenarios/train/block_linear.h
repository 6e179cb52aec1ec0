// A linear layer inside a transformer block, as the run's `weights` setting wants it. Source: reference-step.md
// section C, "LoRA on top", and section G (fine-tune presets).
//   int8, fp8: frozen W8A8 with a trainable low-rank side branch, y = W8A8(x) + up(down(x)) * (alpha / rank);
//              the branch sees the unquantised x
//   bf16:      a plain bf16 weight that is trained itself, no branch
// A preset's quantisation filter may catch more linears than its LoRA filter: those have no branch in int8 and fp8.
#pragma once
#include <ATen/ATen.h>

#include <string>
#include <vector>

#include "scenarios/settings.h"
#include "scenarios/train/fixes_on.h"
#include "scenarios/train/w8a8_linear.h"

namespace zerostall::train {

// A trained tensor and its name, "transformer_blocks.0.attn.to_q.lora_down".
struct NamedParameter {
  std::string name;
  at::Tensor value;
};

struct BlockLinear {
  W8A8Weight base;                 // int8, fp8
  at::Tensor weight;               // bf16 [out, in], trained; undefined otherwise
  at::Tensor down;                 // fp32 [rank, in], trained; kaiming uniform (a = sqrt 5): bound 1/sqrt(in);
                                   // undefined without a branch, as are up and alpha
  at::Tensor up;                   // fp32 [out, rank], trained; zeros
  at::Tensor alpha;                // fp32 scalar on the device, not trained
  const FixesOn* fixes = nullptr;  // not owned: the run's
};

// Makes the linears of a model, on `device` itself, and collects what is trained.
struct LinearMaker {
  at::Device device;
  scenarios::Weights weights = scenarios::Weights::int8;
  const FixesOn* fixes = nullptr;  // outlives the layers
  std::int64_t rank = 16;          // rank 16 and alpha 1 are the presets' (section G)
  double alpha = 1;
  std::vector<NamedParameter> parameters;

  BlockLinear linear(const std::string& name, std::int64_t in, std::int64_t out);

  // The same without a branch: frozen in int8 and fp8, in bf16 trained like all others.
  BlockLinear unadapted(const std::string& name, std::int64_t in, std::int64_t out);
};

// x [..., in] -> [..., out] in the dtype of the Autocast in force (compute_dtype; bf16 without one), the adapter's
// branch too. The branch is left out while a WithoutAdapters lives. fp8: whether the constant scale is cached is looked
// up in `fixes` at each call.
at::Tensor block_linear(const BlockLinear& layer, const at::Tensor& x);

// The frozen or trained big weight of a layer: what layer offloading moves. The scale stays on the device.
const at::Tensor& big_weight(const BlockLinear& layer);

// While one lives, block_linear of this thread leaves the adapters out (prior preservation's second prediction).
class WithoutAdapters {
 public:
  WithoutAdapters();
  ~WithoutAdapters();
  WithoutAdapters(const WithoutAdapters&) = delete;
  WithoutAdapters& operator=(const WithoutAdapters&) = delete;
};

}  // namespace zerostall::train
