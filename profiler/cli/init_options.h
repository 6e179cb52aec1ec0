// Options of `init`.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "profiler/cli/options.h"

namespace zerostall::cli {

void add_init(CLI::App& app, InitOptions& options);

// A command behind `--`, or a trace, and not both.
Result<Options> chosen_init(InitOptions options);

}  // namespace zerostall::cli
