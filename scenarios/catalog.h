// The scenarios as data: names, sizes and the host waits each keeps when all its fixes are on. No torch: the command
// line reads this; the training steps themselves are in the folders beside it.
#pragma once
#include <optional>
#include <span>
#include <string_view>

namespace zerostall::scenarios {

// Host waits that stay, per optimizer update with k micro-steps of `batch` samples each, and why.
struct Rest {
  std::string_view region;  // "train" or "load"
  int per_micro_step = 0;
  int per_sample = 0;
  bool h2d = true;  // they are uploads (count as h2d_stalls too)
  std::string_view reason;
  constexpr int of(int micro_steps, int batch) const { return micro_steps * (per_micro_step + per_sample * batch); }
};

struct Size {
  std::string_view name;   // "tiny", "klein-4b", "klein-9b", "dev"
  std::string_view title;  // "FLUX.2 klein-9B"
  int pixels;              // edge length of the square training image
  std::span<const Rest> rest;
};

struct Scenario {
  std::string_view name;    // "flux2"
  std::string_view title;   // one line for --list
  std::string_view recipe;  // "W8A8 LoRA r16"
  std::string_view default_size;
  int default_batch;
  std::span<const Size> sizes;
  std::span<const std::string_view> fixes;  // names of fixes/catalog.h that apply, in report order
};

std::span<const Scenario> all();
std::optional<Scenario> find(std::string_view name);
std::optional<Size> find_size(const Scenario& scenario, std::string_view name);

}  // namespace zerostall::scenarios
