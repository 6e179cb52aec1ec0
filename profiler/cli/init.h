// `zerostall init -- COMMAND`, `zerostall init TRACE`.
#pragma once
#include "profiler/cli/options.h"
#include "profiler/cli/outcome.h"

namespace zerostall::cli {

Outcome run_init(const InitOptions& options);

}  // namespace zerostall::cli
