// A frozen W8A8 linear with a trainable low-rank side branch: y = W8A8(x) + up(down(x)) * (alpha / rank).
// Source: shared/design/reference-step.md section C, "LoRA on top". The branch sees the unquantised x.
#pragma once
#include <ATen/ATen.h>

#include <string>
#include <vector>

#include "scenarios/train/w8a8_linear.h"

namespace zerostall::train {

struct LoraLinear {
  W8A8Weight base;
  at::Tensor down;   // fp32 [rank, in], trained; kaiming uniform (a = sqrt 5): bound 1/sqrt(in)
  at::Tensor up;     // fp32 [out, rank], trained; zeros
  at::Tensor alpha;  // fp32 scalar on the device, not trained
};

// A trained tensor and its name, "transformer_blocks.0.attn.to_q.lora_down".
struct NamedParameter {
  std::string name;
  at::Tensor value;
};

// Rank 16 and alpha 1 are the presets' (section G). Appends `down` and `up` to `parameters`.
LoraLinear make_lora_linear(const std::string& name, std::int64_t in, std::int64_t out, at::Device device,
                            std::vector<NamedParameter>& parameters, std::int64_t rank = 16, double alpha = 1);

// x [..., in] -> [..., out] in bf16. Runs the branch in bf16 when called under Autocast.
at::Tensor lora_linear(const LoraLinear& layer, const at::Tensor& x);

}  // namespace zerostall::train
