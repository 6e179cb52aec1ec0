// Sizes of FLUX.2. Source: reference-step.md section E (table), section G (512 px).
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace zerostall::flux2 {

struct Config {
  std::string_view name;
  std::int64_t heads;
  std::int64_t head_dim = 128;
  std::int64_t double_blocks, single_blocks;
  std::int64_t text_features;  // joint_attention_dim
  std::int64_t text_length = 512;
  std::int64_t latent_size = 64;  // edge of the VAE's latent: pixels / 8
  bool guidance_embeds = false;

  static constexpr std::int64_t kLatentChannels = 32;
  static constexpr std::int64_t kPatchChannels =
      128;  // in and out channels of the transformer: 2x2 patch of the latent
  static constexpr std::int64_t kMlpRatio = 3;
  static constexpr std::int64_t kTimeChannels = 256;
  static constexpr double kRopeTheta = 2000;
  static constexpr double kNormEps = 1e-6;
  std::int64_t hidden() const { return heads * head_dim; }
  std::int64_t mlp() const { return kMlpRatio * hidden(); }
};

// "tiny", "dev-tiny" (with guidance), "klein-4b", "klein-9b", "dev"; nullopt if unknown.
std::optional<Config> find_config(std::string_view name);

}  // namespace zerostall::flux2
