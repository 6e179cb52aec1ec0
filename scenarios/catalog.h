// The scenarios as data: names, sizes, and what about each model makes the host wait. No torch: the command line reads
// this; the training steps themselves are in the folders beside it. Host waits per step follow from it and the settings
// of a run: host_waits.h.
#pragma once
#include <optional>
#include <span>
#include <string_view>

namespace zerostall::scenarios {

// What of a model's structure decides how often it waits. Source: reference-step.md sections B.1, C, E.
struct Traits {
  int adapted_linears = 0;                      // W8A8 linears with LoRA: two trained tensors each
  int large_linears = 0;                        // linears of the blocks that run in 8 bits (more than 16 rows)
  int trained_weights = 0;                      // with weights=bf16: the blocks' own
  int wide_blocks = 0, wide_block_weights = 0;  // the first blocks in running order, and big weights in each
  int blocks = 0, block_weights = 0;            // those behind them
  bool guidance = false;                        // the guidance scale is embedded: a host number becomes a device tensor
  int text_length_reads = 0;                    // per prediction: lengths of the texts read from the device
  int id_uploads = 0;                           // per prediction: position ids and masks built on the host
};

struct Size {
  std::string_view name;   // "tiny", "klein-4b", "klein-9b", "dev"
  std::string_view title;  // "FLUX.2 klein-9B"
  int pixels;              // edge length of the square training image
  Traits traits;
};

struct Scenario {
  std::string_view name;   // "flux2"
  std::string_view title;  // one line for --list
  std::string_view default_size;
  int default_batch;
  std::span<const Size> sizes;
};

std::span<const Scenario> all();
std::optional<Scenario> find(std::string_view name);
std::optional<Size> find_size(const Scenario& scenario, std::string_view name);

}  // namespace zerostall::scenarios
