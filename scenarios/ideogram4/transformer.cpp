#include "scenarios/ideogram4/transformer.h"

#include <string>

#include "scenarios/train/autocast.h"

namespace zerostall::ideogram4 {
namespace {

using train::block_linear;
using Tensors = std::vector<at::Tensor>;

// In fp32, returned in the weight's dtype.
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps) {
  return at::rms_norm(x, {x.size(-1)}, weight, eps).to(weight.scalar_type());
}

at::Tensor attention(const Block& block, const at::Tensor& x, const at::Tensor& mask, const train::RopeTable& rope) {
  const std::int64_t head_dim = block.norm_q.size(0);
  const auto heads = [&](const train::BlockLinear& layer) {
    return block_linear(layer, x).unflatten(-1, {-1, head_dim});
  };
  const at::Tensor q = train::apply_rope_halves(rms_norm(heads(block.to_q), block.norm_q, Config::kNormEps), rope);
  const at::Tensor k = train::apply_rope_halves(rms_norm(heads(block.to_k), block.norm_k, Config::kNormEps), rope);
  return block_linear(block.to_out, train::attention(q, k, heads(block.to_v), mask));
}

at::Tensor feed_forward(const Block& block, const at::Tensor& x) {
  return block_linear(block.w2, at::silu(block_linear(block.w1, x)) * block_linear(block.w3, x));
}

// hidden [B, L, d] -> the same; conditioning [B, 1, adaln_dim].
at::Tensor run(const Block& block, at::Tensor hidden, const at::Tensor& mask, const train::RopeTable& rope,
               const at::Tensor& conditioning) {
  const auto norm = [](const at::Tensor& x, const at::Tensor& weight) { return rms_norm(x, weight, Config::kNormEps); };
  const Tensors mod = (block_linear(block.adaln_modulation, conditioning) + block.adaln_bias).chunk(4, -1);
  const at::Tensor scale_msa = 1.0 + mod[0], gate_msa = mod[1].tanh(), scale_mlp = 1.0 + mod[2],
                   gate_mlp = mod[3].tanh();
  const at::Tensor attended = attention(block, norm(hidden, block.attention_norm1) * scale_msa, mask, rope);
  hidden = hidden + gate_msa * norm(attended, block.attention_norm2);
  const at::Tensor fed = feed_forward(block, norm(hidden, block.ffn_norm1) * scale_mlp);
  return hidden + gate_mlp * norm(fed, block.ffn_norm2);
}

// [B] -> [B, 1, adaln_dim].
at::Tensor conditioning_of(const Transformer& model, const at::Tensor& timestep, at::ScalarType dtype) {
  // The time is rounded to the compute dtype before it is spread over 0 to 10,000.
  const at::Tensor scaled = timestep.to(dtype).to(at::kFloat) * 1e4;
  const at::Tensor waves =
      train::timestep_embedding(scaled, model.config.hidden(), train::Waves::sines_first, 1).to(dtype);
  const at::Tensor embedded =
      train::linear(model.t_embedding_out, at::silu(train::linear(model.t_embedding_in, waves)));
  return at::silu(train::linear(model.adaln_proj, embedded.unsqueeze(1)));
}

// Text and image tokens as one stream [B, L, d].
at::Tensor embed(const Transformer& model, const TransformerInput& input) {
  const at::ScalarType dtype = input.hidden_states.scalar_type();
  const at::Tensor is_image = input.ids.indicator.eq(kImageToken);
  const at::Tensor text_mask = input.ids.indicator.eq(kTextToken).to(dtype).unsqueeze(-1);
  const at::Tensor image_mask = is_image.to(dtype).unsqueeze(-1);
  const at::Tensor image = train::linear(model.input_proj, input.hidden_states * image_mask) * image_mask;
  const at::Tensor normed =
      rms_norm(input.encoder_hidden_states * text_mask, model.llm_cond_norm, Config::kOuterNormEps);
  const at::Tensor text = train::linear(model.llm_cond_proj, normed) * text_mask;
  return image + text + at::embedding(model.embed_image_indicator, is_image.to(at::kLong));
}

// --- random weights ---

class Maker {
 public:
  Maker(const Config& config, train::LinearMaker& linears) : config_(config), linears_(linears) {}

  train::FrozenLinear linear(std::int64_t in, std::int64_t out) const {
    return train::random_linear(in, out, linears_.device);
  }
  at::Tensor norm(std::int64_t size) const { return at::ones({size}, bf16()); }
  at::Tensor embedding() const { return at::empty({2, config_.hidden()}, bf16()).normal_(0, 0.02); }

  Block block(const std::string& name) {
    const std::int64_t d = config_.hidden(), mlp = config_.intermediate_size;
    return {.to_q = linears_.linear(name + ".attention.to_q", d, d),
            .to_k = linears_.linear(name + ".attention.to_k", d, d),
            .to_v = linears_.linear(name + ".attention.to_v", d, d),
            .to_out = linears_.linear(name + ".attention.to_out.0", d, d),
            .w1 = linears_.linear(name + ".feed_forward.w1", d, mlp),
            .w2 = linears_.linear(name + ".feed_forward.w2", mlp, d),
            .w3 = linears_.linear(name + ".feed_forward.w3", d, mlp),
            .adaln_modulation = linears_.unadapted(name + ".adaln_modulation", config_.adaln_dim, 4 * d),
            .adaln_bias = linear(config_.adaln_dim, 4 * d).bias,
            .norm_q = norm(config_.attention_head_dim),
            .norm_k = norm(config_.attention_head_dim),
            .attention_norm1 = norm(d),
            .attention_norm2 = norm(d),
            .ffn_norm1 = norm(d),
            .ffn_norm2 = norm(d)};
  }

 private:
  at::TensorOptions bf16() const { return at::TensorOptions().dtype(at::kBFloat16).device(linears_.device); }

  const Config& config_;
  train::LinearMaker& linears_;
};

}  // namespace

Transformer make_transformer(const Config& config, train::LinearMaker& maker) {
  Maker make(config, maker);
  const std::int64_t d = config.hidden();
  Transformer model{.config = config,
                    .input_proj = make.linear(Config::kPatchChannels, d),
                    .llm_cond_proj = make.linear(config.llm_features_dim, d),
                    .llm_cond_norm = make.norm(config.llm_features_dim),
                    .t_embedding_in = make.linear(d, d),
                    .t_embedding_out = make.linear(d, d),
                    .adaln_proj = make.linear(d, config.adaln_dim),
                    .embed_image_indicator = make.embedding(),
                    .layers = {},
                    .final_adaln_modulation = make.linear(config.adaln_dim, d),
                    .final_linear = make.linear(d, Config::kPatchChannels)};
  for (std::int64_t i = 0; i < config.num_layers; ++i)
    model.layers.push_back(make.block("layers." + std::to_string(i)));
  return model;
}

std::vector<std::vector<at::Tensor>> block_weights(const Transformer& model) {
  std::vector<std::vector<at::Tensor>> blocks;
  for (const Block& b : model.layers) {
    blocks.emplace_back();
    for (const train::BlockLinear* layer :
         {&b.to_q, &b.to_k, &b.to_v, &b.to_out, &b.w1, &b.w2, &b.w3, &b.adaln_modulation})
      blocks.back().push_back(train::big_weight(*layer));
  }
  return blocks;
}

at::Tensor forward(const Transformer& model, const TransformerInput& input, const train::BlockRunner& blocks) {
  const at::ScalarType dtype = input.hidden_states.scalar_type();
  const at::DeviceType device = input.hidden_states.device().type();
  const at::Tensor conditioning = conditioning_of(model, input.timestep, dtype);
  at::Tensor hidden = embed(model, input);
  train::RopeTable rope = mrope_table(input.ids.position_ids, model.config.attention_head_dim,
                                      model.config.mrope_section, Config::kRopeTheta);
  rope = {.cos = rope.cos.to(dtype), .sin = rope.sin.to(dtype)};
  const at::Tensor mask = attention_mask(input.ids.segment_ids);
  const at::ScalarType compute = train::compute_dtype(device);  // of the run, for recomputation on the autograd thread
  std::size_t index = 0;
  for (const Block& block : model.layers) {
    auto body = [&block, mask, rope, conditioning, device, compute](const Tensors& in) -> Tensors {
      const train::Autocast autocast(device, compute);
      return {run(block, in[0], mask, rope, conditioning)};
    };
    hidden = blocks.run(index++, body, {hidden})[0];
  }
  const at::Tensor scale = 1.0 + train::linear(model.final_adaln_modulation, at::silu(conditioning));
  const at::Tensor normed = at::layer_norm(hidden, {hidden.size(-1)}, {}, {}, Config::kOuterNormEps);
  return train::linear(model.final_linear, normed * scale);
}

}  // namespace zerostall::ideogram4
