// What a training run does besides the plain step, as data: the same words on the command line of zerostall-scenario
// (`--with KEY=VALUE`), of `zerostall verify`, and in presets. No torch. Source: reference-step.md sections 0
// ("Variants"), B.1 and G.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zerostall::scenarios {

enum class Weights {
  int8,  // frozen int8 W8A8 linears in the blocks, LoRA trained
  fp8,   // the same in fp8 (e4m3)
  bf16,  // no LoRA: the blocks' bf16 weights are trained (fine-tune)
};
enum class OptimizerKind { adamw, adamw_fused, adafactor };
enum class Ema { off, gpu, cpu };
enum class Precision { bf16, fp16 };  // fp16 brings a GradScaler

struct Settings {
  Weights weights = Weights::int8;
  OptimizerKind optimizer = OptimizerKind::adamw;
  double learning_rate = 3e-5;   // after 200 updates of warm-up
  bool fused_back_pass = false;  // each parameter's optimizer step runs as soon as its gradient is there
  Precision precision = Precision::bf16;
  Ema ema = Ema::off;
  std::int64_t pixels = 0;            // edge of the square image; 0: the size's own
  double offload = 0;                 // fraction of the blocks whose weights stay on the host
  bool offload_async = true;          // false: blocking copies
  bool prior_preservation = false;    // a second prediction without adapters, mixed in by a host list of indices
  bool latent_caching = true;         // false: the VAE stays on the train device and encodes in each step
  bool resume = false;                // start from a backup of an earlier run of 2 updates
  bool tensor_learning_rate = false;  // the learning rate is a device tensor
  std::int64_t samples = 0;           // in the data set; an epoch passes over them once
  std::int64_t backup_every = 0, sample_every = 0, validate_every = 0;  // in updates; 0: never
};

// One key, for --list and for error texts.
struct SettingKey {
  std::string_view name;    // "ema"
  std::string_view values;  // "off, gpu or cpu"
  std::string_view about;   // one line
};
std::span<const SettingKey> setting_keys();

// Applies "ema=cpu"; a key alone means "=on" ("resume"). Returns what is wrong in one line, naming the key and what it
// takes; "" = applied.
std::string apply_setting(std::string_view text, Settings& settings);

// Settings that contradict each other, in one line that says what to do; "" = none do.
std::string conflict_in(const Settings& settings);

// What differs from the defaults, in the order of setting_keys: {"ema=cpu", "resume=on"}.
std::vector<std::string> words_of(const Settings& settings);

}  // namespace zerostall::scenarios
