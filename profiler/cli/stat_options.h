// Options of `zerostall stat`.
#pragma once
#include <CLI/CLI.hpp>

#include "profiler/cli/options.h"

namespace zerostall::cli {

void add_stat(CLI::App& app, StatOptions& options);

// Fails where options do not go together.
Result<Options> chosen_stat(StatOptions options);

}  // namespace zerostall::cli
