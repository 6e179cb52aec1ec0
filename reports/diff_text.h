// `zerostall diff` for a person.
#pragma once
#include <span>
#include <string>

#include "profiler/analyze/compare.h"

namespace zerostall {

// Both sides, whether they are comparable, counts, waits and copies that differ, times, and a last line with the
// answer: about one screen. Ends in a newline. `b` against `a`: what is gone is in `a` only.
std::string render_diff_text(std::span<const RunSummary> a, std::span<const RunSummary> b,
                             const Comparison& comparison);

}  // namespace zerostall
