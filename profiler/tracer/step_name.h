// Which NVTX texts begin a training step: the names that the analysis takes for steps by default (split_steps), without
// regular expressions, since this runs in the program at every mark.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace zerostall::tracer {

struct StepName {
  std::optional<std::int64_t> number;  // "step 17" -> 17; "train step" has none
};

// The text without the number at its end: what all steps of a loop have in common.
constexpr std::string_view step_stem(std::string_view text) {
  return text.substr(0, text.find_last_not_of("0123456789") + 1);
}

// nullopt: not a step.
std::optional<StepName> step_name(std::string_view text);

}  // namespace zerostall::tracer
