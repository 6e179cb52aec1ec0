// The Ideogram 4 transformer: one stream of text and image tokens. Names are diffusers' (transformer_ideogram4.py,
// Apache-2.0). Sources: reference-step.md sections C ("layers" filter), E and G (LoRA on attention and feed_forward).
#pragma once
#include <ATen/ATen.h>

#include <vector>

#include "scenarios/ideogram4/config.h"
#include "scenarios/ideogram4/sequence.h"
#include "scenarios/train/block_linear.h"
#include "scenarios/train/block_runner.h"
#include "scenarios/train/layers.h"

namespace zerostall::ideogram4 {

struct Block {
  train::BlockLinear to_q, to_k, to_v, to_out;  // attention
  train::BlockLinear w1, w2, w3;                // feed_forward: w2(silu(w1 x) * w3 x)
  // Quantised, as the filter "layers" catches it, but not adapted. It sees one row per sample: up to 16 samples it
  // takes the path that dequantises the weight.
  train::BlockLinear adaln_modulation;  // -> scale and gate of attention, scale and gate of feed_forward
  at::Tensor adaln_bias;                // bf16 [4d], frozen
  at::Tensor norm_q, norm_k;            // bf16 [head_dim]
  at::Tensor attention_norm1, attention_norm2, ffn_norm1, ffn_norm2;  // bf16 [d]
};

struct Transformer {
  Config config;
  train::FrozenLinear input_proj, llm_cond_proj;
  at::Tensor llm_cond_norm;                             // bf16 [llm_features_dim]
  train::FrozenLinear t_embedding_in, t_embedding_out;  // [d, d]
  train::FrozenLinear adaln_proj;                       // [adaln_dim, d]
  at::Tensor embed_image_indicator;                     // bf16 [2, d]: not an image token, an image token
  std::vector<Block> layers;
  train::FrozenLinear final_adaln_modulation, final_linear;  // [d, adaln_dim], [128, d]
};

// Random weights, made on the maker's device (never on the host). Uses the default generators: seed with
// at::manual_seed first.
Transformer make_transformer(const Config& config, train::LinearMaker& maker);

// Of each block: what layer offloading moves.
std::vector<std::vector<at::Tensor>> block_weights(const Transformer& model);

struct TransformerInput {
  at::Tensor hidden_states;          // [B, L, 128] bf16; only image tokens are looked at
  at::Tensor encoder_hidden_states;  // [B, L, llm_features_dim] bf16; only text tokens are looked at
  at::Tensor timestep;               // [B] fp32 in [0, 1]: 0 noise, 1 data
  SequenceIds ids;                   // on the device
};

// -> [B, L, 128] bf16, data - noise; only image tokens mean something. Call under train::Autocast.
at::Tensor forward(const Transformer& model, const TransformerInput& input, const train::BlockRunner& blocks);

}  // namespace zerostall::ideogram4
