// `zerostall stat --mpi DIR`: the traces of a job analysed by several processes, each where the files lie.
#pragma once
#include "profiler/cli/options.h"
#include "profiler/cli/outcome.h"
#include "profiler/trace/read_trace.h"

namespace zerostall::cli {

// What `run_stat` without `--mpi` gives where all files are at hand, in process 0; nothing, with code 0, in the others.
// Fails with code 4 where MPI is missing, or another process of the job died or could not do its part.
Outcome run_stat_fleet(const StatOptions& options, const StepOptions& steps);

}  // namespace zerostall::cli
