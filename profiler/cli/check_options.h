// The command line of `check`.
#pragma once
#include <CLI/CLI.hpp>

#include "profiler/cli/options.h"

namespace zerostall::cli {

void add_check(CLI::App& app, CheckOptions& options);

// What cannot be told option by option: a trace and a command at once, one side of --before and --after alone.
Result<Options> chosen_check(CheckOptions options);

}  // namespace zerostall::cli
