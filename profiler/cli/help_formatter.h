// --help in 80 columns.
#pragma once
#include <CLI/CLI.hpp>
#include <memory>

namespace zerostall::cli {

std::shared_ptr<CLI::FormatterBase> help_formatter();

}  // namespace zerostall::cli
