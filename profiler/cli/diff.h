// `zerostall diff`.
#pragma once
#include "profiler/cli/options.h"
#include "profiler/cli/outcome.h"

namespace zerostall::cli {

Outcome run_diff(const DiffOptions& options);

}  // namespace zerostall::cli
