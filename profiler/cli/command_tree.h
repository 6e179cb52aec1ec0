// The commands and options that parse_options reads, for all that is made from them: help, pages, completion scripts.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace zerostall::cli {

// Calls `use` with the tree, which lives as long as that call.
void with_command_tree(const std::function<void(const CLI::App&)>& use);

// The parts of the tree that people see, in the order of --help: commands; options with a name that begins with dashes;
// words that stand alone.
std::vector<const CLI::App*> commands_of(const CLI::App& app);
std::vector<const CLI::Option*> options_of(const CLI::App& app);
std::vector<const CLI::Option*> positionals_of(const CLI::App& app);

// "zerostall record [OPTIONS] -- COMMAND [ARGUMENTS...]"
std::string usage_of(const CLI::App& app);
// "-o, --output FILE"
std::string option_title(const CLI::Option& option);

}  // namespace zerostall::cli
