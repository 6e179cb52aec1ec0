// Options of `baseline` and `history`.
#pragma once
#include <CLI/CLI.hpp>

#include "profiler/cli/options.h"

namespace zerostall::cli {

void add_baseline(CLI::App& app, BaselineOptions& options);
void add_history(CLI::App& app, HistoryOptions& options);

// One of their parts.
Result<Options> chosen_baseline(const BaselineOptions& options);
Result<Options> chosen_history(const HistoryOptions& options);

}  // namespace zerostall::cli
