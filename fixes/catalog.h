// The fixes as data: names, texts, and what each claims to remove. No torch: the command line reads this, the scenarios
// apply the fixes themselves (bn_pinning.h, async_loss.h).
#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace zerostall::fixes {

// A change of counts in region `train` of one optimizer update with k micro-steps: per_update + k * per_micro_step.
// Positive = removed by the fix, negative = added by it.
struct Change {
  int per_update = 0;
  int per_micro_step = 0;
  constexpr int of(int micro_steps) const { return per_update + per_micro_step * micro_steps; }
};

// What a fix claims to remove, checked by `zerostall verify` in every judged step.
struct Removes {
  Change waits, stream_syncs, event_syncs, h2d_stalls;
};

struct Fix {
  std::string_view name;         // "bn-pinning"; a variant is "async-loss=upstream"
  std::string_view title;        // one line: what it changes
  std::string_view cause;        // cause slug of metrics.md ("state-on-wrong-device", "scalar-read")
  std::string_view explanation;  // several lines: cause, change, expected effect
  Removes removes;
  bool is_default;  // part of the default settings of verify (variants are not)
};

// All fixes and variants, defaults first, in the order of the report.
std::span<const Fix> all();

// By name as typed by a user; nullopt if unknown.
std::optional<Fix> find(std::string_view name);

// The part before '=': "async-loss=upstream" -> "async-loss". Two variants of one fix cannot be combined.
std::string_view base_name(std::string_view name);

}  // namespace zerostall::fixes
