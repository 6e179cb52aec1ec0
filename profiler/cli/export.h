// `zerostall export FILE --format perfetto|chrome|csv|json`.
#pragma once
#include "profiler/cli/options.h"
#include "profiler/cli/outcome.h"

namespace zerostall::cli {

// To standard output, or to a file that appears whole or not at all.
Outcome run_export(const ExportArguments& options);

}  // namespace zerostall::cli
