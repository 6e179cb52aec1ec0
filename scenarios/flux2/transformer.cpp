#include "scenarios/flux2/transformer.h"

#include <cmath>
#include <string>

#include "scenarios/train/autocast.h"

namespace zerostall::flux2 {
namespace {

using train::block_linear;
using train::modulated_norm;
using Tensors = std::vector<at::Tensor>;

// q, k, v of one stream, [B, S, H, head_dim]; q and k RMS-normalised per head.
struct Heads {
  at::Tensor q, k, v;
};

at::Tensor rms_norm(const at::Tensor& x, const Weight& weight) {
  return at::rms_norm(x, {x.size(-1)}, weight, Config::kNormEps);
}

Heads split_heads(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const Weight& norm_q,
                  const Weight& norm_k) {
  const std::int64_t head_dim = norm_q.size(0);
  return {.q = rms_norm(q.unflatten(-1, {-1, head_dim}), norm_q),
          .k = rms_norm(k.unflatten(-1, {-1, head_dim}), norm_k),
          .v = v.unflatten(-1, {-1, head_dim})};
}

at::Tensor attend(const Heads& heads, const train::RopeTable& rope) {
  const at::Tensor q = train::apply_rope(heads.q, rope);
  const at::Tensor k = train::apply_rope(heads.k, rope);
  // RMSNorm leaves fp32 under autocast; attention wants one dtype and autocast casts q, k and v alike.
  return train::attention(q, k, heads.v);
}

// Modulation of one stream in a double block: [B, 1, d] each.
struct StreamModulation {
  at::Tensor shift_msa, scale_msa, gate_msa, shift_mlp, scale_mlp, gate_mlp;
};
struct SingleModulation {
  at::Tensor shift, scale, gate;
};

at::Tensor feed_forward(const train::BlockLinear& in, const train::BlockLinear& out, const at::Tensor& x) {
  return block_linear(out, train::swiglu(block_linear(in, x)));
}

// {img [B,S_img,d], txt [B,S_txt,d]} -> the same. Joint attention over [txt, img], then a feed-forward per stream.
Tensors run(const DoubleBlock& block, const Tensors& streams, const StreamModulation& img_mod,
            const StreamModulation& txt_mod, const train::RopeTable& rope) {
  at::Tensor img = streams[0], txt = streams[1];
  const at::Tensor img_in = modulated_norm(img, img_mod.shift_msa, img_mod.scale_msa, Config::kNormEps);
  const at::Tensor txt_in = modulated_norm(txt, txt_mod.shift_msa, txt_mod.scale_msa, Config::kNormEps);
  const Heads from_img = split_heads(block_linear(block.to_q, img_in), block_linear(block.to_k, img_in),
                                     block_linear(block.to_v, img_in), block.norm_q, block.norm_k);
  const Heads from_txt = split_heads(block_linear(block.add_q, txt_in), block_linear(block.add_k, txt_in),
                                     block_linear(block.add_v, txt_in), block.norm_added_q, block.norm_added_k);
  const at::Tensor attended = attend({.q = at::cat({from_txt.q, from_img.q}, 1),
                                      .k = at::cat({from_txt.k, from_img.k}, 1),
                                      .v = at::cat({from_txt.v, from_img.v}, 1)},
                                     rope);
  const Tensors parts = attended.split_with_sizes({txt.size(1), img.size(1)}, 1);
  img = img + img_mod.gate_msa * block_linear(block.to_out, parts[1]);
  img = img +
        img_mod.gate_mlp * feed_forward(block.ff_in, block.ff_out,
                                        modulated_norm(img, img_mod.shift_mlp, img_mod.scale_mlp, Config::kNormEps));
  txt = txt + txt_mod.gate_msa * block_linear(block.to_add_out, parts[0]);
  txt = txt +
        txt_mod.gate_mlp * feed_forward(block.ff_context_in, block.ff_context_out,
                                        modulated_norm(txt, txt_mod.shift_mlp, txt_mod.scale_mlp, Config::kNormEps));
  return {img, txt};
}

// {joint [B, S_txt + S_img, d]} -> the same. Attention and feed-forward in parallel, one gate.
Tensors run(const SingleBlock& block, const Tensors& joint, const SingleModulation& mod, const train::RopeTable& rope) {
  const std::int64_t d = joint[0].size(-1);
  const at::Tensor x = modulated_norm(joint[0], mod.shift, mod.scale, Config::kNormEps);
  const Tensors parts = block_linear(block.to_qkv_mlp, x).split_with_sizes({d, d, d, 2 * Config::kMlpRatio * d}, -1);
  const at::Tensor attended = attend(split_heads(parts[0], parts[1], parts[2], block.norm_q, block.norm_k), rope);
  const at::Tensor out = block_linear(block.to_out, at::cat({attended, train::swiglu(parts[3])}, -1));
  return {joint[0] + mod.gate * out};
}

at::Tensor embed(const TimeEmbedder& embedder, const at::Tensor& value, at::ScalarType dtype) {
  const at::Tensor channels = train::timestep_embedding(value, Config::kTimeChannels).to(dtype);
  return at::linear(at::silu(at::linear(channels, embedder.linear_1)), embedder.linear_2);
}

at::Tensor conditioning(const Transformer& model, const TransformerInput& input) {
  const at::ScalarType dtype = input.hidden_states.scalar_type();
  at::Tensor temb = embed(model.time, input.timestep.to(dtype) * 1000, dtype);
  if (model.config.guidance_embeds) temb = temb + embed(model.guidance, input.guidance.to(dtype) * 1000, dtype);
  return temb;
}

Tensors modulation(const Weight& weight, const at::Tensor& temb, std::int64_t count) {
  return at::linear(at::silu(temb), weight).unsqueeze(1).chunk(count, -1);
}

StreamModulation stream_modulation(const Weight& weight, const at::Tensor& temb) {
  const Tensors m = modulation(weight, temb, 6);
  return {
      .shift_msa = m[0], .scale_msa = m[1], .gate_msa = m[2], .shift_mlp = m[3], .scale_mlp = m[4], .gate_mlp = m[5]};
}

at::Tensor run_blocks(const Transformer& model, Tensors streams, const at::Tensor& temb, const train::RopeTable& rope,
                      const train::BlockRunner& runner) {
  const at::DeviceType device = temb.device().type();
  const at::ScalarType dtype = train::compute_dtype(device);  // of the run, for recomputation on the autograd thread
  const StreamModulation img_mod = stream_modulation(model.double_modulation_img, temb);
  const StreamModulation txt_mod = stream_modulation(model.double_modulation_txt, temb);
  const Tensors m = modulation(model.single_modulation, temb, 3);
  const SingleModulation single_mod{.shift = m[0], .scale = m[1], .gate = m[2]};
  std::size_t index = 0;
  for (const DoubleBlock& block : model.transformer_blocks) {
    auto body = [&block, img_mod, txt_mod, rope, device, dtype](const Tensors& in) {
      const train::Autocast autocast(device, dtype);
      return run(block, in, img_mod, txt_mod, rope);
    };
    streams = runner.run(index++, body, streams);
  }
  Tensors joint{at::cat({streams[1], streams[0]}, 1)};
  for (const SingleBlock& block : model.single_transformer_blocks) {
    auto body = [&block, single_mod, rope, device, dtype](const Tensors& in) {
      const train::Autocast autocast(device, dtype);
      return run(block, in, single_mod, rope);
    };
    joint = runner.run(index++, body, joint);
  }
  return joint[0].slice(1, streams[1].size(1));  // image tokens only
}

// --- random weights ---

class Maker {
 public:
  Maker(const Config& config, train::LinearMaker& linears) : d_(config.hidden()), linears_(linears), config_(config) {}

  Weight weight(std::int64_t in, std::int64_t out) const { return train::random_weight_bf16(in, out, linears_.device); }
  Weight norm() const {
    return at::ones({config_.head_dim}, at::TensorOptions().dtype(at::kBFloat16).device(linears_.device));
  }
  TimeEmbedder time_embedder() const {
    return {.linear_1 = weight(Config::kTimeChannels, d_), .linear_2 = weight(d_, d_)};
  }

  DoubleBlock double_block(const std::string& name) {
    const std::int64_t mlp = config_.mlp();
    return {.to_q = lora(name + ".attn.to_q", d_, d_),
            .to_k = lora(name + ".attn.to_k", d_, d_),
            .to_v = lora(name + ".attn.to_v", d_, d_),
            .to_out = lora(name + ".attn.to_out.0", d_, d_),
            .add_q = lora(name + ".attn.add_q_proj", d_, d_),
            .add_k = lora(name + ".attn.add_k_proj", d_, d_),
            .add_v = lora(name + ".attn.add_v_proj", d_, d_),
            .to_add_out = lora(name + ".attn.to_add_out", d_, d_),
            .ff_in = lora(name + ".ff.linear_in", d_, 2 * mlp),
            .ff_out = lora(name + ".ff.linear_out", mlp, d_),
            .ff_context_in = lora(name + ".ff_context.linear_in", d_, 2 * mlp),
            .ff_context_out = lora(name + ".ff_context.linear_out", mlp, d_),
            .norm_q = norm(),
            .norm_k = norm(),
            .norm_added_q = norm(),
            .norm_added_k = norm()};
  }

  SingleBlock single_block(const std::string& name) {
    const std::int64_t mlp = config_.mlp();
    return {.to_qkv_mlp = lora(name + ".attn.to_qkv_mlp_proj", d_, 3 * d_ + 2 * mlp),
            .to_out = lora(name + ".attn.to_out", d_ + mlp, d_),
            .norm_q = norm(),
            .norm_k = norm()};
  }

 private:
  train::BlockLinear lora(const std::string& name, std::int64_t in, std::int64_t out) {
    return linears_.linear(name, in, out);
  }

  std::int64_t d_;
  train::LinearMaker& linears_;
  const Config& config_;
};

}  // namespace

Transformer make_transformer(const Config& config, train::LinearMaker& maker) {
  Maker make(config, maker);
  const std::int64_t d = config.hidden();
  Transformer model{.config = config,
                    .x_embedder = make.weight(Config::kPatchChannels, d),
                    .context_embedder = make.weight(config.text_features, d),
                    .time = make.time_embedder(),
                    .guidance = config.guidance_embeds ? make.time_embedder() : TimeEmbedder{},
                    .double_modulation_img = make.weight(d, 6 * d),
                    .double_modulation_txt = make.weight(d, 6 * d),
                    .single_modulation = make.weight(d, 3 * d),
                    .transformer_blocks = {},
                    .single_transformer_blocks = {},
                    .norm_out = make.weight(d, 2 * d),
                    .proj_out = make.weight(d, Config::kPatchChannels)};
  for (std::int64_t i = 0; i < config.double_blocks; ++i) {
    model.transformer_blocks.push_back(make.double_block("transformer_blocks." + std::to_string(i)));
  }
  for (std::int64_t i = 0; i < config.single_blocks; ++i) {
    model.single_transformer_blocks.push_back(make.single_block("single_transformer_blocks." + std::to_string(i)));
  }
  return model;
}

std::vector<std::vector<at::Tensor>> block_weights(const Transformer& model) {
  std::vector<std::vector<at::Tensor>> blocks;
  const auto add = [&](std::initializer_list<const train::BlockLinear*> layers) {
    blocks.emplace_back();
    for (const train::BlockLinear* layer : layers) blocks.back().push_back(train::big_weight(*layer));
  };
  for (const DoubleBlock& b : model.transformer_blocks)
    add({&b.to_q, &b.to_k, &b.to_v, &b.to_out, &b.add_q, &b.add_k, &b.add_v, &b.to_add_out, &b.ff_in, &b.ff_out,
         &b.ff_context_in, &b.ff_context_out});
  for (const SingleBlock& b : model.single_transformer_blocks) add({&b.to_qkv_mlp, &b.to_out});
  return blocks;
}

at::Tensor forward(const Transformer& model, const TransformerInput& input, const train::BlockRunner& blocks) {
  const at::Tensor temb = conditioning(model, input);
  const std::vector<std::int64_t> rope_dims(4, model.config.head_dim / 4);
  const train::RopeTable rope =
      train::rope_table(at::cat({input.txt_ids, input.img_ids}), rope_dims, Config::kRopeTheta);
  const Tensors streams{at::linear(input.hidden_states, model.x_embedder),
                        at::linear(input.encoder_hidden_states, model.context_embedder)};
  const at::Tensor image = run_blocks(model, streams, temb, rope, blocks);
  // AdaLayerNormContinuous: scale first, then shift.
  const Tensors out = modulation(model.norm_out, temb, 2);
  return at::linear(modulated_norm(image, out[1], out[0], Config::kNormEps), model.proj_out);
}

}  // namespace zerostall::flux2
