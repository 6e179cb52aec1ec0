// Sources: shared/design/reference-step.md section 0 (measured), section C (which linears are quantised), section E
// (sizes), section G (what is adapted).
#include "scenarios/catalog.h"

#include <algorithm>
#include <array>

namespace zerostall::scenarios {
namespace {

// 12 linears a double block, 2 a single block, all of them adapted.
constexpr Traits flux2(int double_blocks, int single_blocks, bool guidance = false) {
  const int linears = 12 * double_blocks + 2 * single_blocks;
  return {.adapted_linears = linears,
          .large_linears = linears,
          .trained_weights = linears,
          .wide_blocks = double_blocks,
          .wide_block_weights = 12,
          .blocks = single_blocks,
          .block_weights = 2,
          .guidance = guidance};
}

constexpr std::array<Size, 5> kFlux2Sizes{{
    {.name = "tiny", .title = "FLUX.2 tiny (same structure, for tests)", .pixels = 128, .traits = flux2(2, 2)},
    {.name = "dev-tiny",
     .title = "FLUX.2 dev tiny (with guidance, for tests)",
     .pixels = 128,
     .traits = flux2(2, 2, true)},
    {.name = "klein-4b", .title = "FLUX.2 klein-4B", .pixels = 512, .traits = flux2(5, 20)},
    {.name = "klein-9b", .title = "FLUX.2 klein-9B", .pixels = 512, .traits = flux2(8, 24)},
    {.name = "dev", .title = "FLUX.2 dev", .pixels = 512, .traits = flux2(8, 48, true)},
}};

// 7 adapted linears a layer, and adaln_modulation, quantised but not adapted, whose few rows take the dequantising
// path.
constexpr Traits ideogram4(int layers) {
  return {.adapted_linears = 7 * layers,
          .large_linears = 7 * layers,
          .trained_weights = 8 * layers,
          .blocks = layers,
          .block_weights = 8,
          .text_length_reads = 3,
          .id_uploads = 3};
}

constexpr Traits ernie(int layers) {
  return {.adapted_linears = 7 * layers,
          .large_linears = 7 * layers,
          .trained_weights = 7 * layers,
          .blocks = layers,
          .block_weights = 7,
          .text_length_reads = 1};
}

constexpr std::array<Size, 2> kIdeogramSizes{{
    {.name = "tiny", .title = "Ideogram 4 tiny (same structure, for tests)", .pixels = 128, .traits = ideogram4(2)},
    {.name = "ideogram4", .title = "Ideogram 4", .pixels = 512, .traits = ideogram4(34)},
}};
constexpr std::array<Size, 2> kErnieSizes{{
    {.name = "tiny", .title = "Ernie Image tiny (same structure, for tests)", .pixels = 128, .traits = ernie(2)},
    {.name = "ernie-image", .title = "Ernie Image", .pixels = 512, .traits = ernie(36)},
}};

constexpr std::array<Scenario, 3> kScenarios{{
    {.name = "flux2",
     .title = "FLUX.2 training step, latents and text features cached",
     .default_size = "klein-9b",
     .default_batch = 2,
     .sizes = kFlux2Sizes},
    {.name = "ideogram4",
     .title = "Ideogram 4 training step, latents and text features cached",
     .default_size = "ideogram4",
     .default_batch = 2,
     .sizes = kIdeogramSizes},
    {.name = "ernie",
     .title = "Ernie Image training step, latents and text features cached",
     .default_size = "ernie-image",
     .default_batch = 2,
     .sizes = kErnieSizes},
}};

}  // namespace

std::span<const Scenario> all() { return kScenarios; }

std::optional<Scenario> find(std::string_view name) {
  const auto* found =
      std::find_if(kScenarios.begin(), kScenarios.end(), [&](const Scenario& s) { return s.name == name; });
  if (found == kScenarios.end()) return std::nullopt;
  return *found;
}

std::optional<Size> find_size(const Scenario& scenario, std::string_view name) {
  const auto found =
      std::find_if(scenario.sizes.begin(), scenario.sizes.end(), [&](const Size& size) { return size.name == name; });
  if (found == scenario.sizes.end()) return std::nullopt;
  return *found;
}

}  // namespace zerostall::scenarios
