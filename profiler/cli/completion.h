// Scripts that complete the command line in a shell, made from the tree of commands and options: they hold all names,
// so that pressing Tab starts no program of ours.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace zerostall::cli {

// For "bash", "zsh" or "fish".
std::string completion_script(std::string_view shell);

std::string bash_script(const CLI::App& app);
std::string zsh_script(const CLI::App& app);
std::string fish_script(const CLI::App& app);

// What the three have in common: a command with the words that lead to it, `zerostall` itself first.
struct CommandPath {
  std::string words;  // "", "stat", "baseline update"
  const CLI::App* app = nullptr;
};
std::vector<CommandPath> command_paths(const CLI::App& app);

// "'" + text + "'", with what a POSIX shell and fish both need.
std::string shell_quoted(std::string_view text);

}  // namespace zerostall::cli
