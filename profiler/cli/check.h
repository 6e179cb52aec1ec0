// The command `check`: judges a run, or two sides of runs, and writes what there is to say.
#pragma once
#include <vector>

#include "profiler/cli/options.h"
#include "profiler/cli/outcome.h"
#include "profiler/gate/check.h"
#include "reports/named_run.h"

namespace zerostall::cli {

Outcome run_check(const CheckOptions& options);

}  // namespace zerostall::cli
