// Options of the commands that compare and explain.
#pragma once
#include <CLI/CLI.hpp>

#include "profiler/cli/options.h"

namespace zerostall::cli {

void add_diff(CLI::App& app, DiffOptions& options);
void add_explain(CLI::App& app, ExplainOptions& options);

// Two traces, or some on either side of --vs.
Result<Options> chosen_diff(DiffOptions options);

}  // namespace zerostall::cli
