// The fixes as data: names and texts. No torch: the command line reads this, the scenarios apply the fixes themselves
// (bn_pinning.h, async_loss.h ...). How many waits of a model a fix removes: scenarios/host_waits.h.
#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace zerostall::fixes {

struct Fix {
  std::string_view name;         // "bn-pinning"; a variant is "async-loss=upstream"
  std::string_view title;        // one line: what it changes
  std::string_view cause;        // cause slug of metrics.md ("state-on-wrong-device", "scalar-read")
  std::string_view explanation;  // several lines: cause, change, expected effect
  bool is_default;               // of OneTrainer's pull request #1608: in the runs that `verify` makes by itself
  int event_syncs = 0;           // what it adds per update in exchange for the stream syncs it removes (a variant does)
};

// All fixes and variants, defaults first, in the order of the report.
std::span<const Fix> all();

// By name as typed by a user; nullopt if unknown.
std::optional<Fix> find(std::string_view name);

// The part before '=': "async-loss=upstream" -> "async-loss". Two variants of one fix cannot be combined.
std::string_view base_name(std::string_view name);

}  // namespace zerostall::fixes
