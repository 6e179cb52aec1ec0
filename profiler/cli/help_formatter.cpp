#include "profiler/cli/help_formatter.h"

#include "profiler/base/strings.h"
#include "profiler/cli/command_tree.h"
#include "profiler/cli/page.h"

namespace zerostall::cli {
namespace {

constexpr std::size_t kNames = 26;  // columns for the names of options and commands

std::string row(const std::string& name, const std::string& text) {
  std::string head = "  " + name;
  if (characters(head) + 2 > kNames)
    head += "\n" + std::string(kNames, ' ');
  else
    head.append(kNames - characters(head), ' ');
  return head + filled(text, kHelpWidth, kNames) + "\n";
}

// CLI11's own neither fills lines nor knows of the command behind `--`.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool) const override {
    return row(option_title(*option), option->get_description());
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return row(command->get_name(), command->get_description());
  }
  std::string make_usage(const CLI::App* app, std::string) const override { return "Usage: " + usage_of(*app) + "\n"; }
  std::string make_description(const CLI::App* app) const override {
    return filled(app->get_description(), kHelpWidth, 0) + "\n";
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter() { return std::make_shared<HelpFormatter>(); }

}  // namespace zerostall::cli
