// Options of `record`, and the command that stands behind `--`.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "profiler/cli/options.h"

namespace zerostall::cli {

void add_record(CLI::App& app, RecordArguments& options);

// Takes the command behind `--` off the arguments of `record`. An error is a command that is not there, or stands
// without `--`, where its options would be taken for ours.
Result<std::vector<std::string>> split_off_command(std::vector<std::string>& arguments);

// The same where a command is one of several ways to say what is meant, and may be left out: empty then.
Result<std::vector<std::string>> split_off_optional_command(std::vector<std::string>& arguments);

}  // namespace zerostall::cli
