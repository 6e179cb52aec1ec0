// The Ernie Image transformer: one stream [image, text], laid out [S, B, d] between the blocks. Names are diffusers'
// (transformer_ernie_image.py, Apache-2.0). Sources: reference-step.md sections E and G (LoRA on self_attention and
// mlp, which is all that the filter "layers" quantises).
#pragma once
#include <ATen/ATen.h>

#include <vector>

#include "scenarios/ernie/config.h"
#include "scenarios/train/block_linear.h"
#include "scenarios/train/block_runner.h"
#include "scenarios/train/layers.h"

namespace zerostall::ernie {

struct Block {
  train::BlockLinear to_q, to_k, to_v, to_out;        // self_attention
  train::BlockLinear gate_proj, up_proj, linear_fc2;  // mlp: linear_fc2(up_proj x * gelu(gate_proj x))
  at::Tensor norm_q, norm_k;                          // bf16 [head_dim]
  at::Tensor adaln_sa_ln, adaln_mlp_ln;               // bf16 [d]
};

struct Transformer {
  Config config;
  train::FrozenLinear x_embedder;  // [d, 128]: a 1x1 convolution, written as a linear over tokens
  at::Tensor text_proj;            // bf16 [d, text_in_dim], no bias
  train::FrozenLinear time_embedding_1, time_embedding_2;  // [d, d]
  train::FrozenLinear adaln_modulation;                    // [6d, d], shared by all blocks
  std::vector<Block> layers;
  train::FrozenLinear final_norm, final_linear;  // [2d, d], [128, d]
};

// Random weights, made on the maker's device (never on the host). Uses the default generators: seed with
// at::manual_seed first.
Transformer make_transformer(const Config& config, train::LinearMaker& maker);

// Of each block: what layer offloading moves.
std::vector<std::vector<at::Tensor>> block_weights(const Transformer& model);

struct TransformerInput {
  at::Tensor hidden_states;  // [B, 128, H, W] bf16, patchified latents
  at::Tensor timestep;       // int64 [B], the raw index 0 to 999
  at::Tensor text;           // [B, T, text_in_dim] bf16, right-padded
  at::Tensor text_lengths;   // int64 [B], on the device
};

// -> [B, 128, H, W] bf16, noise - data. Call under train::Autocast.
at::Tensor forward(const Transformer& model, const TransformerInput& input, const train::BlockRunner& blocks);

}  // namespace zerostall::ernie
