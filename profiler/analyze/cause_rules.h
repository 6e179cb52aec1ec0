// The rules: each looks at what is known of a wait and says of what class it is, or nothing.
#pragma once
#include <optional>
#include <span>

#include "profiler/analyze/cause_evidence.h"

namespace zerostall {

using CauseRule = std::optional<Cause> (*)(const Evidence& evidence);

// Of causes of equal confidence the one of the earlier rule counts.
std::span<const CauseRule> cause_rules();

}  // namespace zerostall
