// `zerostall verify --catalogue [CLASS...]`: every class of causes, its fixed twin and its near miss, held to what the
// catalogue says of them.
#pragma once
#include "profiler/cli/options.h"
#include "profiler/cli/outcome.h"
#include "profiler/record/paths.h"

namespace zerostall::cli {

// Of `options`: catalogue and classes, steps, warmup, device, keep, json, out. Exit codes as `verify`.
Outcome run_verify_catalogue(const VerifyOptions& options, const InstallPaths& paths);

}  // namespace zerostall::cli
