// Sizes of Ideogram 4. Sources: reference-step.md sections E and G (512 px); names are diffusers'
// (transformer_ideogram4.py, Apache-2.0).
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace zerostall::ideogram4 {

struct Config {
  std::string_view name;
  std::int64_t num_layers = 34;
  std::int64_t num_attention_heads = 18;
  std::int64_t attention_head_dim = 256;
  std::int64_t intermediate_size = 12288;
  std::int64_t adaln_dim = 512;
  std::int64_t llm_features_dim = 53248;  // 13 tapped layers of 4096
  // How the frequencies of a head are dealt to the axes t, h, w (see mrope_table).
  std::array<std::int64_t, 3> mrope_section{24, 20, 20};
  std::int64_t text_length = 512;   // of a cached text with its padding
  std::int64_t shortest_text = 64;  // texts of the random samples are between this and text_length long
  std::int64_t latent_size = 64;    // edge of the VAE's latent: pixels / 8

  static constexpr std::int64_t kLatentChannels = 32;
  static constexpr std::int64_t kPatchChannels = 128;  // in and out channels: 2x2 patch of the latent
  static constexpr double kRopeTheta = 5'000'000;
  static constexpr double kNormEps = 1e-5;       // RMS norms of the blocks
  static constexpr double kOuterNormEps = 1e-6;  // llm_cond_norm and the final layer norm
  std::int64_t hidden() const { return num_attention_heads * attention_head_dim; }
};

// "tiny", "ideogram4"; nullopt if unknown.
std::optional<Config> find_config(std::string_view name);

}  // namespace zerostall::ideogram4
