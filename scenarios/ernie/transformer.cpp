#include "scenarios/ernie/transformer.h"

#include <string>

#include "scenarios/ernie/sequence.h"
#include "scenarios/train/autocast.h"
#include "scenarios/train/flow_matching.h"

namespace zerostall::ernie {
namespace {

using train::block_linear;
using Tensors = std::vector<at::Tensor>;

// [1, B, d] each.
struct Modulation {
  at::Tensor shift_msa, scale_msa, gate_msa, shift_mlp, scale_mlp, gate_mlp;
};

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight) {
  return at::rms_norm(x, {x.size(-1)}, weight, Config::kNormEps);
}

// Norm, then scale and shift in fp32, returned in the norm's dtype.
at::Tensor modulated(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& scale, const at::Tensor& shift) {
  const at::Tensor normed = rms_norm(x, weight);
  return (normed.to(at::kFloat) * (1 + scale.to(at::kFloat)) + shift.to(at::kFloat)).to(normed.scalar_type());
}

at::Tensor gated(const at::Tensor& gate, const at::Tensor& x, at::ScalarType dtype) {
  return (gate.to(at::kFloat) * x.to(at::kFloat)).to(dtype);
}

// x [B, S, d] -> the same.
at::Tensor self_attention(const Block& block, const at::Tensor& x, const at::Tensor& mask,
                          const train::RopeTable& rope) {
  const auto heads = [&](const train::BlockLinear& layer) {
    return block_linear(layer, x).unflatten(-1, {-1, Config::kHeadDim});
  };
  const at::Tensor q = train::apply_rope_halves(rms_norm(heads(block.to_q), block.norm_q), rope);
  const at::Tensor k = train::apply_rope_halves(rms_norm(heads(block.to_k), block.norm_k), rope);
  return block_linear(block.to_out, train::attention(q, k, heads(block.to_v), mask));
}

at::Tensor mlp(const Block& block, const at::Tensor& x) {
  return block_linear(block.linear_fc2, block_linear(block.up_proj, x) * at::gelu(block_linear(block.gate_proj, x)));
}

// hidden [S, B, d] -> the same.
at::Tensor run(const Block& block, at::Tensor hidden, const Modulation& mod, const at::Tensor& mask,
               const train::RopeTable& rope) {
  at::Tensor x = modulated(hidden, block.adaln_sa_ln, mod.scale_msa, mod.shift_msa);
  const at::Tensor attended = self_attention(block, x.transpose(0, 1), mask, rope).transpose(0, 1);
  hidden = hidden + gated(mod.gate_msa, attended, x.scalar_type());
  x = modulated(hidden, block.adaln_mlp_ln, mod.scale_mlp, mod.shift_mlp);
  return hidden + gated(mod.gate_mlp, mlp(block, x), x.scalar_type());
}

// [B] -> [B, d].
at::Tensor conditioning_of(const Transformer& model, const at::Tensor& timestep, at::ScalarType dtype) {
  const at::Tensor waves =
      train::timestep_embedding(timestep, model.config.hidden(), train::Waves::sines_first).to(dtype);
  return train::linear(model.time_embedding_2, at::silu(train::linear(model.time_embedding_1, waves)));
}

Modulation modulation_of(const Transformer& model, const at::Tensor& conditioning) {
  const Tensors m = train::linear(model.adaln_modulation, at::silu(conditioning)).unsqueeze(0).chunk(6, -1);
  return {
      .shift_msa = m[0], .scale_msa = m[1], .gate_msa = m[2], .shift_mlp = m[3], .scale_mlp = m[4], .gate_mlp = m[5]};
}

// --- random weights ---

Block make_block(const Config& config, train::LinearMaker& linears, const std::string& name) {
  const std::int64_t d = config.hidden(), ffn = config.ffn_hidden_size;
  const auto norm = [&](std::int64_t size) {
    return at::ones({size}, at::TensorOptions().dtype(at::kBFloat16).device(linears.device));
  };
  return {.to_q = linears.linear(name + ".self_attention.to_q", d, d),
          .to_k = linears.linear(name + ".self_attention.to_k", d, d),
          .to_v = linears.linear(name + ".self_attention.to_v", d, d),
          .to_out = linears.linear(name + ".self_attention.to_out.0", d, d),
          .gate_proj = linears.linear(name + ".mlp.gate_proj", d, ffn),
          .up_proj = linears.linear(name + ".mlp.up_proj", d, ffn),
          .linear_fc2 = linears.linear(name + ".mlp.linear_fc2", ffn, d),
          .norm_q = norm(Config::kHeadDim),
          .norm_k = norm(Config::kHeadDim),
          .adaln_sa_ln = norm(d),
          .adaln_mlp_ln = norm(d)};
}

}  // namespace

Transformer make_transformer(const Config& config, train::LinearMaker& maker) {
  const std::int64_t d = config.hidden();
  const auto linear = [&](std::int64_t in, std::int64_t out) { return train::random_linear(in, out, maker.device); };
  Transformer model{.config = config,
                    .x_embedder = linear(Config::kPatchChannels, d),
                    .text_proj = train::random_weight_bf16(config.text_in_dim, d, maker.device),
                    .time_embedding_1 = linear(d, d),
                    .time_embedding_2 = linear(d, d),
                    .adaln_modulation = linear(d, 6 * d),
                    .layers = {},
                    .final_norm = linear(d, 2 * d),
                    .final_linear = linear(d, Config::kPatchChannels)};
  for (std::int64_t i = 0; i < config.num_layers; ++i)
    model.layers.push_back(make_block(config, maker, "layers." + std::to_string(i)));
  return model;
}

std::vector<std::vector<at::Tensor>> block_weights(const Transformer& model) {
  std::vector<std::vector<at::Tensor>> blocks;
  for (const Block& b : model.layers) {
    blocks.emplace_back();
    for (const train::BlockLinear* layer :
         {&b.to_q, &b.to_k, &b.to_v, &b.to_out, &b.gate_proj, &b.up_proj, &b.linear_fc2})
      blocks.back().push_back(train::big_weight(*layer));
  }
  return blocks;
}

at::Tensor forward(const Transformer& model, const TransformerInput& input, const train::BlockRunner& blocks) {
  const at::DeviceType device = input.hidden_states.device().type();
  const Grid grid{.height = input.hidden_states.size(2), .width = input.hidden_states.size(3)};
  const std::int64_t image_tokens = grid.height * grid.width, text_tokens = input.text.size(1);
  const at::Tensor image = train::linear(model.x_embedder, train::pack(input.hidden_states));
  const at::Tensor text = at::linear(input.text, model.text_proj);
  at::Tensor hidden = at::cat({image.transpose(0, 1), text.transpose(0, 1)});
  const train::RopeTable rope = train::rope_table(position_ids(input.text_lengths, grid, text_tokens),
                                                  Config::kRopeAxesDim, Config::kRopeTheta, at::kFloat);
  const at::Tensor mask = attention_mask(input.text_lengths, image_tokens, text_tokens);
  const at::Tensor conditioning = conditioning_of(model, input.timestep, input.hidden_states.scalar_type());
  const Modulation modulation = modulation_of(model, conditioning);
  const at::ScalarType compute = train::compute_dtype(device);  // of the run, for recomputation on the autograd thread
  std::size_t index = 0;
  for (const Block& block : model.layers) {
    auto body = [&block, modulation, mask, rope, device, compute](const Tensors& in) -> Tensors {
      const train::Autocast autocast(device, compute);
      return {run(block, in[0], modulation, mask, rope)};
    };
    hidden = blocks.run(index++, body, {hidden})[0];
  }
  const Tensors out = train::linear(model.final_norm, conditioning).unsqueeze(0).chunk(2, -1);  // scale, shift
  const at::Tensor tokens =
      train::linear(model.final_linear, train::modulated_norm(hidden, out[1], out[0], Config::kNormEps));
  return train::unpack(tokens.slice(0, 0, image_tokens).transpose(0, 1), grid.height);
}

}  // namespace zerostall::ernie
