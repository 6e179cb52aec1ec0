// `zerostall stat FILE`.
#pragma once
#include "profiler/cli/options.h"
#include "profiler/cli/outcome.h"
#include "profiler/cli/processes.h"

namespace zerostall::cli {

Outcome run_stat(const StatOptions& options);

// The two halves of it, for `--mpi`, where the first is shared out.
ProcessReader stat_reader(const StatOptions& options, const StepOptions& steps, const std::string& name = "");
// `name`: how the one file is called in texts; "" = by the paths that were given.
Outcome show_stat(Result<ReadProcesses> all, const std::vector<std::filesystem::path>& paths, const std::string& name,
                  const StatOptions& options, const StepOptions& steps);

}  // namespace zerostall::cli
