// The command line of `report`.
#pragma once
#include <CLI/CLI.hpp>

#include "profiler/cli/options.h"

namespace zerostall::cli {

void add_report(CLI::App& app, ReportArguments& options);

}  // namespace zerostall::cli
