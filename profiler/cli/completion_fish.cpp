// For fish: a `complete` line for each option and command.
#include <fmt/format.h>

#include <algorithm>

#include "profiler/base/strings.h"
#include "profiler/cli/command_tree.h"
#include "profiler/cli/completion.h"
#include "profiler/cli/completion_hint.h"

namespace zerostall::cli {
namespace {

std::string value_of(const CompletionHint& hint) {
  switch (hint.kind) {
    case CompletionHint::Kind::nothing:
      return " -x";
    case CompletionHint::Kind::words:
      return " -x -a " + shell_quoted(join(hint.words, " "));
    case CompletionHint::Kind::words_and_file:
      return " -x -a " + shell_quoted("(__zerostall_keyed " + join(hint.words, " ") + ")");
    case CompletionHint::Kind::files:
      return hint.words.empty() ? " -r -F"
                                : " -x -a " + shell_quoted("(__zerostall_files " + join(hint.words, " ") + ")");
    case CompletionHint::Kind::folders:
      return " -x -a '(__fish_complete_directories)'";
  }
  return {};
}

std::string lines_of(const CommandPath& path) {
  const std::string here = fmt::format("complete -c zerostall -n {}", shell_quoted("__zerostall_in " + path.words));
  std::string text;
  for (const CLI::App* command : commands_of(*path.app))
    text += fmt::format("{} -x -a {} -d {}\n", here, command->get_name(), shell_quoted(command->get_description()));
  for (const CLI::Option* option : options_of(*path.app)) {
    text += here;
    for (const std::string& name : option->get_snames()) text += " -s " + name;
    for (const std::string& name : option->get_lnames()) text += " -l " + name;
    if (option->get_type_size() != 0) text += value_of(hint_of(*option));
    text += " -d " + shell_quoted(option->get_description()) + "\n";
  }
  if (const auto alone = positionals_of(*path.app); commands_of(*path.app).empty() && !alone.empty())
    text += here + value_of(hint_of(*alone.front())) + "\n";
  return text;
}

constexpr const char* kHead = R"(# Completion of zerostall for fish: zerostall completion fish

# Whether the cursor is behind `--`, where the user's own command stands.
function __zerostall_behind_dashes
    contains -- -- (commandline -opc)
end

# Whether the words so far lead to this command, and `--` has not been there.
function __zerostall_in
    set -l words (commandline -opc)
    contains -- -- $words; and return 1
    set -l path
    for word in $words[2..]
        string match -q -- '-*' $word; and continue
        contains -- (string join ' ' $path $word) $__zerostall_paths; and set path $path $word
    end
    test "$path" = "$argv"
end

# Files whose names end in one of the words, and folders.
function __zerostall_files
    for file in (__fish_complete_path (commandline -ct))
        if string match -q -- '*/*' (string split \t -- $file)[1]
            and string match -q -- '*/' (string split \t -- $file)[1]
            printf '%s\n' $file
            continue
        end
        for ending in $argv
            string match -q -- "*$ending" (string split \t -- $file)[1]; and printf '%s\n' $file
        end
    end
end

# Words that end in =, and a file behind them: md=FILE.
function __zerostall_keyed
    set -l token (commandline -ct)
    if string match -q -- '*=*' $token
        set -l key (string split -m1 = -- $token)
        for file in (__fish_complete_path $key[-1])
            printf '%s=%s\n' $key[1] $file
        end
    else
        printf '%s\n' $argv
    end
end

# The user's own command completes as it does on a line of its own.
function __zerostall_command
    set -l words (commandline -opc)
    set -l at (contains -i -- -- $words)
    complete -C (string join ' ' -- (string escape -- $words[(math $at + 1)..] ) (commandline -ct))
end

complete -c zerostall -f
complete -c zerostall -n __zerostall_behind_dashes -x -a '(__zerostall_command)'
)";

}  // namespace

std::string fish_script(const CLI::App& app) {
  const auto paths = command_paths(app);
  std::string text = kHead + std::string("set -g __zerostall_paths");
  for (const CommandPath& path : paths)
    if (!path.words.empty()) text += " " + shell_quoted(path.words);
  text += "\n";
  for (const CommandPath& path : paths) text += lines_of(path);
  return text;
}

}  // namespace zerostall::cli
