#include "profiler/cli/completion.h"

#include "profiler/cli/command_tree.h"

namespace zerostall::cli {
namespace {

void add_paths(const CLI::App& app, const std::string& words, std::vector<CommandPath>& paths) {
  paths.push_back({words, &app});
  for (const CLI::App* command : commands_of(app))
    add_paths(*command, words.empty() ? command->get_name() : words + " " + command->get_name(), paths);
}

}  // namespace

std::vector<CommandPath> command_paths(const CLI::App& app) {
  std::vector<CommandPath> paths;
  add_paths(app, "", paths);
  return paths;
}

std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (c == '\\')
      out += "\\\\";
    else
      out += c;
  }
  return out + "'";
}

std::string completion_script(std::string_view shell) {
  std::string script;
  with_command_tree([&](const CLI::App& app) {
    script = shell == "bash" ? bash_script(app) : shell == "zsh" ? zsh_script(app) : fish_script(app);
  });
  return script;
}

}  // namespace zerostall::cli
