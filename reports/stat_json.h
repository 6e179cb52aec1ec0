// `zerostall stat --json`: schema zerostall/stat/1 of metrics.md.
#pragma once
#include <string>

#include "profiler/analyze/summary.h"

namespace zerostall {

std::string render_stat_json(const RunSummary& run);

}  // namespace zerostall
