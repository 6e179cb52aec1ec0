// The FLUX.2 transformer with W8A8 linears and LoRA in its blocks. Names are diffusers' (transformer_flux2.py,
// Apache-2.0). Source: reference-step.md section E.
#pragma once
#include <ATen/ATen.h>

#include <vector>

#include "scenarios/flux2/config.h"
#include "scenarios/train/block_linear.h"
#include "scenarios/train/block_runner.h"
#include "scenarios/train/layers.h"

namespace zerostall::flux2 {

// A frozen bf16 weight [out, in]; FLUX.2 has no biases. Embedders, modulations and the output projection are not
// quantised.
using Weight = at::Tensor;

struct DoubleBlock {
  train::BlockLinear to_q, to_k, to_v, to_out, add_q, add_k, add_v, to_add_out;
  train::BlockLinear ff_in, ff_out, ff_context_in, ff_context_out;
  Weight norm_q, norm_k, norm_added_q, norm_added_k;  // [head_dim]
};

struct SingleBlock {
  train::BlockLinear to_qkv_mlp, to_out;
  Weight norm_q, norm_k;
};

struct TimeEmbedder {
  Weight linear_1, linear_2;  // [d, 256], [d, d]
};

struct Transformer {
  Config config;
  Weight x_embedder, context_embedder;
  TimeEmbedder time;
  TimeEmbedder guidance;  // undefined without guidance_embeds
  Weight double_modulation_img, double_modulation_txt,
      single_modulation;  // shared by all blocks: [6d, d], [6d, d], [3d, d]
  std::vector<DoubleBlock> transformer_blocks;
  std::vector<SingleBlock> single_transformer_blocks;
  Weight norm_out, proj_out;  // [2d, d], [128, d]
};

// Random weights, made on the maker's device (never on the host). Uses the default generators: seed with
// at::manual_seed first.
Transformer make_transformer(const Config& config, train::LinearMaker& maker);

// Of each block, double blocks first: what layer offloading moves.
std::vector<std::vector<at::Tensor>> block_weights(const Transformer& model);

struct TransformerInput {
  at::Tensor hidden_states;          // [B, S_img, 128] in the dtype of Autocast, packed latents
  at::Tensor encoder_hidden_states;  // [B, S_txt, text_features] bf16
  at::Tensor timestep;          // [B] fp32, t / 1000: the model multiplies by 1000 again, in bf16, as diffusers does
  at::Tensor guidance;          // [B] bf16; undefined without guidance_embeds
  at::Tensor txt_ids, img_ids;  // int64 [S, 4]: axes t, h, w, l
};

// -> [B, S_img, 128] in the dtype of Autocast (bf16 or fp16). Call under train::Autocast.
at::Tensor forward(const Transformer& model, const TransformerInput& input, const train::BlockRunner& blocks);

}  // namespace zerostall::flux2
