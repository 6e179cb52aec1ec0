// `zerostall explain`.
#pragma once
#include "profiler/cli/options.h"
#include "profiler/cli/outcome.h"

namespace zerostall::cli {

Outcome run_explain(const ExplainOptions& options);

}  // namespace zerostall::cli
