// `zerostall diff --json`: schema zerostall/diff/1 of metrics.md.
#pragma once
#include <span>
#include <string>

#include "profiler/analyze/compare.h"

namespace zerostall {

std::string render_diff_json(std::span<const RunSummary> a, std::span<const RunSummary> b,
                             const Comparison& comparison);

}  // namespace zerostall
