// For zsh: a specification for _arguments for each command.
#include <fmt/format.h>

#include <algorithm>

#include "profiler/base/strings.h"
#include "profiler/cli/command_tree.h"
#include "profiler/cli/completion.h"
#include "profiler/cli/completion_hint.h"

namespace zerostall::cli {
namespace {

// Text inside a specification: a colon ends its part, brackets its explanation.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

// For zsh alone: single quotes, in which a backslash is one.
std::string zsh_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string action_of(const CompletionHint& hint) {
  switch (hint.kind) {
    case CompletionHint::Kind::nothing:
      return " ";
    case CompletionHint::Kind::words:
      if (std::any_of(hint.words.begin(), hint.words.end(), [](const auto& word) { return word.ends_with('='); }))
        return "_zerostall_keys " + join(hint.words, " ");
      return "(" + escaped(join(hint.words, " ")) + ")";
    case CompletionHint::Kind::words_and_file:
      return "_zerostall_keyed " + join(hint.words, " ");
    case CompletionHint::Kind::files:
      if (hint.words.empty()) return "_files";
      // "*(.toml)" alone would be a glob qualifier.
      return "_files -g \"*" + (hint.words.size() == 1 ? hint.words[0] : "(" + join(hint.words, "|") + ")") + "\"";
    case CompletionHint::Kind::folders:
      return "_files -/";
  }
  return " ";
}

std::string specifications_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  std::string text;
  for (const std::string& name : names) {
    const bool is_long = name.starts_with("--"), takes = option.get_type_size() != 0;
    text += " \\\n    " +
            zsh_quoted("*" + name + (takes ? is_long ? "=" : "+" : "") + "[" +
                       escaped(shortened(option.get_description(), 70)) + "]" +
                       (takes ? ":" + escaped(option.get_type_name()) + ":" + action_of(hint_of(option)) : ""));
  }
  return text;
}

std::string function_name(const std::string& words) {
  std::string name = "_zerostall_of_" + words;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

std::string function_of(const CommandPath& path) {
  std::string text = function_name(path.words) + "() {\n  _arguments -s";
  for (const CLI::Option* option : options_of(*path.app)) text += specifications_of(*option);
  const auto commands = commands_of(*path.app);
  const auto alone = positionals_of(*path.app);
  if (commands.empty() && !alone.empty())
    text +=
        " \\\n    " + zsh_quoted("*:" + escaped(alone.front()->get_name()) + ":" + action_of(hint_of(*alone.front())));
  if (!commands.empty()) {
    text += " \\\n    '1:command:->command' '*::argument:->argument'\n  local -a commands=(";
    for (const CLI::App* command : commands)
      text += "\n    " + zsh_quoted(command->get_name() + ":" + escaped(command->get_description()));
    text += ")\n  case $state in\n    command) _describe command commands ;;\n    argument) case $words[1] in\n";
    for (const CLI::App* command : commands)
      text +=
          fmt::format("      {}) {} ;;\n", command->get_name(),
                      function_name(path.words.empty() ? command->get_name() : path.words + " " + command->get_name()));
    text += "    esac ;;\n  esac";
  }
  return text + "\n}\n\n";
}

constexpr const char* kHead = R"(#compdef zerostall
# Completion of zerostall for zsh: zerostall completion zsh

# Words that end in =, and something of the user's behind them.
_zerostall_keys() {
  [[ $PREFIX == *=* ]] || compadd -S '' -- "$@"
}

# The same, with a file behind the word: md=FILE.
_zerostall_keyed() {
  if compset -P '*='; then _files; else compadd -S '' -- "$@"; fi
}

)";

constexpr const char* kTail = R"(_zerostall() {
  local state line
  typeset -A opt_args
  # Behind `--` stands the user's own command.
  local dashes=${words[(i)--]}
  if (( dashes < CURRENT )); then
    words=("${(@)words[dashes+1,-1]}")
    (( CURRENT -= dashes ))
    _normal
    return
  fi
  _zerostall_of_
}

if [ "$funcstack[1]" = _zerostall ]; then _zerostall "$@"; else compdef _zerostall zerostall; fi
)";

}  // namespace

std::string zsh_script(const CLI::App& app) {
  std::string text = kHead;
  for (const CommandPath& path : command_paths(app)) text += function_of(path);
  return text + kTail;
}

}  // namespace zerostall::cli
