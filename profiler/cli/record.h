// `zerostall record -- COMMAND`.
#pragma once
#include "profiler/cli/options.h"
#include "profiler/cli/outcome.h"

namespace zerostall::cli {

// Runs the command in the foreground, gives its traces their name and says on standard error what was counted. The exit
// code is the command's own when it is not 0.
Outcome run_record(const RecordArguments& arguments);

}  // namespace zerostall::cli
