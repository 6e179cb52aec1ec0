// Options of `baseline` and `history`.
#pragma once
#include <CLI/CLI.hpp>

#include "profiler/cli/options.h"

namespace zerostall::cli {

void add_baseline(CLI::App& app, BaselineOptions& options);
void add_history(CLI::App& app, HistoryOptions& options);

}  // namespace zerostall::cli
