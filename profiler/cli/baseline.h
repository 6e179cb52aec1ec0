// `zerostall baseline`.
#pragma once
#include "profiler/cli/options.h"
#include "profiler/cli/outcome.h"

namespace zerostall::cli {

Outcome run_baseline(const BaselineOptions& options);

}  // namespace zerostall::cli
