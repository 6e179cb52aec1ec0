#include "profiler/cli/completion_hint.h"

#include <sstream>

#include "profiler/base/strings.h"

namespace zerostall::cli {
namespace {

// CLI11's options carry no data of their users, but the names of their checks: this one never fails.
constexpr std::string_view kMark = "completion";

std::string encoded(const CompletionHint& hint) {
  std::string text = std::string(kMark) + " " + std::to_string(static_cast<int>(hint.kind));
  for (const std::string& word : hint.words) text += " " + word;
  return text;
}

CompletionHint decoded(const std::string& text) {
  std::istringstream in(text);
  std::string word;
  int kind = 0;
  in >> word >> kind;
  CompletionHint hint{static_cast<CompletionHint::Kind>(kind)};
  while (in >> word) hint.words.push_back(word);
  return hint;
}

// CLI11 hands out checks of options that may be changed only, and throws behind the last.
std::string mark_of(const CLI::Option& option) {
  auto& open = const_cast<CLI::Option&>(option);
  try {
    for (int i = 0;; ++i)
      if (const std::string& name = open.get_validator(i)->get_name(); name.starts_with(kMark)) return name;
  } catch (const CLI::OptionNotFound&) {
    return {};
  }
}

}  // namespace

CLI::Option* complete_with(CLI::Option* option, const CompletionHint& hint) {
  return option->check(CLI::Validator([](std::string&) { return std::string(); }, "", encoded(hint)));
}

CLI::Option* complete_words(CLI::Option* option, std::vector<std::string> words) {
  return complete_with(option, {CompletionHint::Kind::words, std::move(words)});
}

CLI::Option* complete_files(CLI::Option* option, std::vector<std::string> endings) {
  return complete_with(option, {CompletionHint::Kind::files, std::move(endings)});
}

CompletionHint hint_of(const CLI::Option& option) {
  if (const std::string mark = mark_of(option); !mark.empty()) return decoded(mark);
  const std::string type = option.get_type_name();
  if (type == "FILE" || type == "PATH") return {CompletionHint::Kind::files};
  if (type == "FOLDER") return {CompletionHint::Kind::folders};
  return {};
}

std::vector<std::string> trace_endings() { return {".zstall", ".json", ".json.gz", ".sqlite"}; }

}  // namespace zerostall::cli
