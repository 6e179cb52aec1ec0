// `zerostall verify --all`: every model, and on each every fix that applies, alone and all together.
#pragma once
#include "profiler/cli/options.h"
#include "profiler/cli/outcome.h"
#include "profiler/record/paths.h"

namespace zerostall::cli {

// Of `options` also size ("tiny" = the small form of each model), steps, warmup, batch, accum, device, keep, json, out.
// Exit code as of one job, the worst of all.
Outcome run_verify_all(const VerifyOptions& options, const InstallPaths& paths);

}  // namespace zerostall::cli
