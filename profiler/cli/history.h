// `zerostall history`.
#pragma once
#include "profiler/cli/options.h"
#include "profiler/cli/outcome.h"

namespace zerostall::cli {

Outcome run_history(const HistoryOptions& options);

}  // namespace zerostall::cli
