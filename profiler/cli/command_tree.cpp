#include "profiler/cli/command_tree.h"

#include <fmt/format.h>

#include "profiler/base/strings.h"
#include "profiler/cli/page.h"

namespace zerostall::cli {
namespace {

const CLI::App& command_of(const CLI::App& app) {
  const CLI::App* command = &app;
  while (command->get_parent() != nullptr && command->get_parent()->get_parent() != nullptr)
    command = command->get_parent();
  return *command;
}

bool takes_several(const CLI::Option& option) {
  return option.get_expected_max() >= CLI::detail::expected_max_vector_size;
}

std::string positional_usage(const CLI::Option& option) {
  const std::string name = option.get_name() + (takes_several(option) ? "..." : "");
  return option.get_required() ? name : "[" + name + "]";
}

}  // namespace

std::vector<const CLI::App*> commands_of(const CLI::App& app) { return app.get_subcommands({}); }

std::vector<const CLI::Option*> options_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return option->nonpositional(); });
}

std::vector<const CLI::Option*> positionals_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::string usage_of(const CLI::App& app) {
  std::string path = app.get_name();
  for (const CLI::App* up = app.get_parent(); up != nullptr; up = up->get_parent()) path = up->get_name() + " " + path;
  const auto subcommands = commands_of(app);
  if (app.get_parent() == nullptr) return path + " COMMAND [OPTIONS]";
  std::vector<std::string> names;
  for (const CLI::App* part : subcommands) names.push_back(part->get_name());
  std::string usage = path + (names.empty() ? " [OPTIONS]" : " " + join(names, "|") + " [OPTIONS]");
  for (const CLI::Option* option : positionals_of(app)) usage += " " + positional_usage(*option);
  const TakesCommand command = page_of(command_of(app).get_name()).command;
  if (command == TakesCommand::needed) usage += " -- COMMAND [ARGUMENTS...]";
  if (command == TakesCommand::optional) usage += " [-- COMMAND [ARGUMENTS...]]";
  return usage;
}

std::string option_title(const CLI::Option& option) {
  std::string title;
  for (const std::string& name : option.get_snames()) title += (title.empty() ? "-" : ", -") + name;
  for (const std::string& name : option.get_lnames()) title += (title.empty() ? "--" : ", --") + name;
  if (title.empty()) title = option.get_name();
  const std::string type = option.get_type_name();
  return option.get_type_size() == 0 || type.empty() ? title : title + " " + type;
}

}  // namespace zerostall::cli
