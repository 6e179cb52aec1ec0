// Sources: shared/design/reference-step.md section 0 (measured), B.1 rows #1, #2, #12, E1, I1 to I4, section E (sizes),
// G (presets).
#include "scenarios/catalog.h"

#include <algorithm>
#include <array>

namespace zerostall::scenarios {
namespace {

constexpr Rest kLoader{.region = "load",
                       .per_micro_step = 0,
                       .per_sample = 5,
                       .h2d = true,
                       .reason =
                           "the loader uploads 4 cached tensors (latent, text features, tokens, token mask) and 1 "
                           "scalar (loss weight) of each "
                           "sample, one blocking copy from pageable memory each"};
constexpr Rest kGuidance{.region = "train",
                         .per_micro_step = 1,
                         .per_sample = 0,
                         .h2d = true,
                         .reason =
                             "FLUX.2 dev embeds the guidance scale: a host number becomes a device tensor in each "
                             "micro-step (2 bytes, blocking)"};

constexpr Rest kLongestText{.region = "train",
                            .per_micro_step = 1,
                            .per_sample = 0,
                            .h2d = false,
                            .reason =
                                "the texts are cut to the longest of the batch, whose length is read from the "
                                "device"};
constexpr Rest kTextLengths{.region = "train",
                            .per_micro_step = 3,
                            .per_sample = 0,
                            .h2d = false,
                            .reason =
                                "the lengths of the texts are read from the device three times: the longest, "
                                "all to pad them, all again to number the tokens"};
constexpr Rest kTokenIds{.region = "train",
                         .per_micro_step = 3,
                         .per_sample = 0,
                         .h2d = true,
                         .reason =
                             "positions, segments and roles of the tokens are made on the host and uploaded, one "
                             "blocking copy from pageable memory each"};

constexpr std::array<Rest, 1> kKleinRest{kLoader};
constexpr std::array<Rest, 2> kDevRest{kGuidance, kLoader};
constexpr std::array<Rest, 2> kErnieRest{kLongestText, kLoader};
constexpr std::array<Rest, 3> kIdeogramRest{kTextLengths, kTokenIds, kLoader};

constexpr std::array<Size, 4> kFlux2Sizes{{
    {.name = "tiny", .title = "FLUX.2 tiny (same structure, for tests)", .pixels = 128, .rest = kKleinRest},
    {.name = "klein-4b", .title = "FLUX.2 klein-4B", .pixels = 512, .rest = kKleinRest},
    {.name = "klein-9b", .title = "FLUX.2 klein-9B", .pixels = 512, .rest = kKleinRest},
    {.name = "dev", .title = "FLUX.2 dev", .pixels = 512, .rest = kDevRest},
}};
constexpr std::array<Size, 2> kIdeogramSizes{{
    {.name = "tiny", .title = "Ideogram 4 tiny (same structure, for tests)", .pixels = 128, .rest = kIdeogramRest},
    {.name = "ideogram4", .title = "Ideogram 4", .pixels = 512, .rest = kIdeogramRest},
}};
constexpr std::array<Size, 2> kErnieSizes{{
    {.name = "tiny", .title = "Ernie Image tiny (same structure, for tests)", .pixels = 128, .rest = kErnieRest},
    {.name = "ernie-image", .title = "Ernie Image", .pixels = 512, .rest = kErnieRest},
}};
constexpr std::array<std::string_view, 3> kSharedFixes{"bn-pinning", "async-loss", "async-loss=upstream"};

constexpr std::array<Scenario, 3> kScenarios{{
    {.name = "flux2",
     .title = "FLUX.2 W8A8 LoRA training step, latents and text features cached",
     .recipe = "W8A8 LoRA r16",
     .default_size = "klein-9b",
     .default_batch = 2,
     .sizes = kFlux2Sizes,
     .fixes = kSharedFixes},
    {.name = "ideogram4",
     .title = "Ideogram 4 W8A8 LoRA training step, latents and text features cached",
     .recipe = "W8A8 LoRA r16",
     .default_size = "ideogram4",
     .default_batch = 2,
     .sizes = kIdeogramSizes,
     .fixes = kSharedFixes},
    {.name = "ernie",
     .title = "Ernie Image W8A8 LoRA training step, latents and text features cached",
     .recipe = "W8A8 LoRA r16",
     .default_size = "ernie-image",
     .default_batch = 2,
     .sizes = kErnieSizes,
     .fixes = kSharedFixes},
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
