// What may stand for an option's value, for the completion scripts. Kept on the option itself, so that it is written
// where the option is.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace zerostall::cli {

struct CompletionHint {
  enum class Kind {
    nothing,         // numbers, patterns, names only the user knows
    words,           // one of `words`
    words_and_file,  // one of `words`, which end in '=', and a file behind it: md=FILE
    files,           // whose names end in one of `words` (none: any file), and folders on the way
    folders,
  };
  Kind kind = Kind::nothing;
  std::vector<std::string> words = {};
};

// Returns the option, like CLI11's own. The words must hold no space, quote or colon but in "sim:MODEL".
CLI::Option* complete_with(CLI::Option* option, const CompletionHint& hint);
CLI::Option* complete_words(CLI::Option* option, std::vector<std::string> words);
CLI::Option* complete_files(CLI::Option* option, std::vector<std::string> endings);

// What the option was given, else what the name of its type says: FILE is any file, FOLDER and PATH are folders or
// files.
CompletionHint hint_of(const CLI::Option& option);

// Names of the files that hold traces of ours and of other tools.
std::vector<std::string> trace_endings();

}  // namespace zerostall::cli
