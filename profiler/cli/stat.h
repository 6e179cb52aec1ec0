// `zerostall stat FILE`.
#pragma once
#include "profiler/cli/options.h"
#include "profiler/cli/outcome.h"

namespace zerostall::cli {

Outcome run_stat(const StatOptions& options);

}  // namespace zerostall::cli
