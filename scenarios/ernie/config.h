// Sizes of Ernie Image. Sources: reference-step.md sections E and G (512 px); names are diffusers'
// (transformer_ernie_image.py, Apache-2.0), values those of the model's own config, not the class's defaults.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace zerostall::ernie {

struct Config {
  std::string_view name;
  std::int64_t num_layers = 36;
  std::int64_t num_attention_heads = 32;
  std::int64_t ffn_hidden_size = 12288;
  std::int64_t text_in_dim = 3072;
  std::int64_t text_length = 512;   // of a cached text with its padding
  std::int64_t shortest_text = 64;  // texts of the random samples are between this and text_length long
  std::int64_t latent_size = 64;    // edge of the VAE's latent: pixels / 8

  static constexpr std::int64_t kHeadDim = 128;
  static constexpr std::array<std::int64_t, 3> kRopeAxesDim{32, 48, 48};  // text position or length, row, column
  static constexpr double kRopeTheta = 256;
  static constexpr std::int64_t kLatentChannels = 32;
  static constexpr std::int64_t kPatchChannels = 128;  // in and out channels: 2x2 patch of the latent, patch_size 1
  static constexpr double kNormEps = 1e-6;
  std::int64_t hidden() const { return num_attention_heads * kHeadDim; }
};

// "tiny", "ernie-image"; nullopt if unknown.
std::optional<Config> find_config(std::string_view name);

}  // namespace zerostall::ernie
