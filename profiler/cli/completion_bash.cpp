// For bash. The script holds one table: for each command and option what may follow, as "KIND WORDS...".
#include <fmt/format.h>

#include <algorithm>

#include "profiler/base/strings.h"
#include "profiler/cli/command_tree.h"
#include "profiler/cli/completion.h"
#include "profiler/cli/completion_hint.h"

namespace zerostall::cli {
namespace {

// A word behind an option, or on its own, as the script reads it.
std::string value_of(const CLI::Option& option) {
  const CompletionHint hint = hint_of(option);
  constexpr const char* kKinds[] = {"nothing", "words", "keyed", "files", "folders"};
  return std::string(kKinds[static_cast<int>(hint.kind)]) + (hint.words.empty() ? "" : " ") + join(hint.words, " ");
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

// The cases of one command: its options, the words that stand alone, its parts.
std::string cases_of(const CommandPath& path) {
  std::string text;
  std::vector<std::string> all;
  for (const CLI::Option* option : options_of(*path.app)) {
    const auto names = names_of(*option);
    all.insert(all.end(), names.begin(), names.end());
    if (option->get_type_size() == 0) continue;
    std::vector<std::string> patterns;
    for (const std::string& name : names) patterns.push_back(shell_quoted(path.words + ":" + name));
    text += fmt::format("    {}) _zs_takes={} ;;\n", join(patterns, "|"), shell_quoted(value_of(*option)));
  }
  std::vector<std::string> parts;
  for (const CLI::App* command : commands_of(*path.app)) parts.push_back(command->get_name());
  const auto positionals = positionals_of(*path.app);
  if (!parts.empty())
    text +=
        fmt::format("    {}) _zs_takes={} ;;\n", shell_quoted(path.words + ":parts"), shell_quoted(join(parts, " ")));
  if (!positionals.empty())
    text += fmt::format("    {}) _zs_takes={} ;;\n", shell_quoted(path.words + ":alone"),
                        shell_quoted(value_of(*positionals.front())));
  text += fmt::format("    {}) _zs_takes={} ;;\n", shell_quoted(path.words + ":options"), shell_quoted(join(all, " ")));
  return text;
}

constexpr const char* kHead = R"(# Completion of zerostall for bash: zerostall completion bash

# $1: COMMAND:OPTION, or COMMAND: and one of parts, alone, options. Sets _zs_takes; fails where there is no such thing.
_zerostall_takes() {
  case $1 in
)";

constexpr const char* kTail = R"(    *) _zs_takes=; return 1 ;;
  esac
}

# Files whose names end in one of the words after the first, and folders.
_zerostall_files() {
  local cur=$1 file ending
  shift
  compopt -o filenames 2>/dev/null
  while IFS= read -r file; do
    if [ -d "$file" ]; then COMPREPLY+=("$file"); continue; fi
    [ $# -eq 0 ] && COMPREPLY+=("$file")
    for ending; do
      case $file in *"$ending") COMPREPLY+=("$file"); break ;; esac
    done
  done < <(compgen -f -- "$cur")
}

# $1: what is there of the word; $2: what may stand there, as _zerostall_takes says it.
_zerostall_value() {
  local cur=$1 kind=${2%% *} words=
  [ "$kind" = "$2" ] || words=${2#* }
  case $kind in
    words) COMPREPLY=($(compgen -W "$words" -- "$cur")) ;;
    keyed)
      case $cur in
        *=*) _zerostall_files "${cur#*=}"; COMPREPLY=("${COMPREPLY[@]/#/${cur%%=*}=}") ;;
        *) COMPREPLY=($(compgen -W "$words" -- "$cur")) ;;
      esac ;;
    files) _zerostall_files "$cur" $words ;;
    folders) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
  esac
  case ${COMPREPLY[0]-} in *=) compopt -o nospace 2>/dev/null ;; esac
}

# bash splits words at = and : (COMP_WORDBREAKS). Sets `words` to them as they were typed, up to the cursor.
_zerostall_words() {
  local rest=$COMP_LINE before word i
  words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    before=$rest
    rest=${rest#"${rest%%[![:space:]]*}"}
    if [ "$i" -gt 0 ] && [ "$before" = "$rest" ] && [ -n "$rest" ]; then
      words[${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
    rest=${rest#"$word"}
  done
}

# Behind `--` stands the user's own command: $1 is its place in COMP_WORDS.
_zerostall_command() {
  COMPREPLY=()
  if declare -F _comp_command_offset >/dev/null; then _comp_command_offset "$1"
  elif declare -F _command_offset >/dev/null; then _command_offset "$1"
  elif [ "$COMP_CWORD" -eq "$1" ]; then mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
  else _zerostall_files "${COMP_WORDS[COMP_CWORD]}"
  fi
}

_zerostall() {
  local words cur i word command= pending= typed _zs_takes
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [ "${COMP_WORDS[i]}" = -- ]; then _zerostall_command $((i + 1)); return; fi
  done
  _zerostall_words
  cur=${words[${#words[@]}-1]}
  for ((i = 1; i < ${#words[@]} - 1; i++)); do
    word=${words[i]}
    if [ -n "$pending" ]; then pending=; continue; fi
    case $word in
      -*=*) ;;
      -*) _zerostall_takes "$command:$word" && pending=$word ;;
      *) if _zerostall_takes "$command:parts"; then
           case " $_zs_takes " in *" $word "*) command=${command:+$command }$word ;; esac
         fi ;;
    esac
  done
  typed=$cur
  if [ -n "$pending" ]; then _zerostall_takes "$command:$pending"; _zerostall_value "$cur" "$_zs_takes"
  else
    case $cur in
      --*=*) _zerostall_takes "$command:${cur%%=*}" && _zerostall_value "${cur#*=}" "$_zs_takes"
             COMPREPLY=("${COMPREPLY[@]/#/${cur%%=*}=}") ;;
      -*) _zerostall_takes "$command:options" && COMPREPLY=($(compgen -W "$_zs_takes" -- "$cur")) ;;
      *) if _zerostall_takes "$command:parts"; then COMPREPLY=($(compgen -W "$_zs_takes" -- "$cur"))
         elif _zerostall_takes "$command:alone"; then _zerostall_value "$cur" "$_zs_takes"
         fi ;;
    esac
  fi
  # What readline replaces begins behind the last = or : alone.
  typed=${typed%"${COMP_WORDS[COMP_CWORD]#[=:]}"}
  case $typed in *[=:]*) COMPREPLY=("${COMPREPLY[@]#"$typed"}") ;; esac
}

complete -F _zerostall zerostall
)";

}  // namespace

std::string bash_script(const CLI::App& app) {
  std::string text = kHead;
  for (const CommandPath& path : command_paths(app)) text += cases_of(path);
  return text + kTail;
}

}  // namespace zerostall::cli
