// `zerostall verify SCENARIO`.
#pragma once
#include "profiler/cli/options.h"
#include "profiler/cli/outcome.h"

namespace zerostall::cli {

// Runs the scenario once per setting and judges what each fix removes. Blocks SIGINT, SIGTERM and SIGHUP while it
// works: they end the running program, and everything half-made is removed. Progress goes to standard error if that is
// a terminal.
Outcome run_verify(const VerifyOptions& options);

}  // namespace zerostall::cli
