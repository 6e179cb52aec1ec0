#include "profiler/cli/option_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "fixes/catalog.h"
#include "profiler/analyze/causes.h"
#include "profiler/cli/completion_hint.h"
#include "profiler/record/paths.h"

namespace zerostall::cli {

std::function<std::string(std::string&)> whole_number(std::int64_t least, std::int64_t most) {
  return [=](std::string& text) -> std::string {
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    if (parsed.ptr != end || parsed.ec == std::errc::invalid_argument)
      return fmt::format("'{}' is not a whole number", text);
    if (parsed.ec != std::errc{} || value < least || value > most)
      return fmt::format("{} is not in the range {} to {}", text, least, most);
    text = fmt::to_string(value);
    return {};
  };
}

CLI::Option* number(CLI::Option* option, std::int64_t least, std::int64_t most) {
  return option->type_name("N")->transform(CLI::Validator(whole_number(least, most), ""));
}

CLI::Option* word(CLI::Option* option, const char* type) {
  const auto check = [](std::string& text) { return std::string(text.empty() ? "the value is empty" : ""); };
  return option->type_name(type)->transform(CLI::Validator(check, ""));
}

CLI::Option* trace_word(CLI::Option* option, const char* type) {
  return complete_files(word(option, type), trace_endings());
}

CLI::Option* one_of(CLI::Option* option, const char* type, const std::vector<std::string>& words) {
  return complete_words(word(option, type)->check(CLI::IsMember(words).description("")), words);
}

CLI::Option* outputs(CLI::Option* option, std::span<const std::string_view> formats) {
  CompletionHint hint{CompletionHint::Kind::words_and_file};
  for (const std::string_view format : formats) hint.words.push_back(std::string(format) + "=");
  return complete_with(word(option, "FORMAT=FILE")->allow_extra_args(false), hint);
}

std::vector<std::string> cause_names() {
  std::vector<std::string> names;
  for (std::size_t kind = 0; kind < kCauseKinds; ++kind) names.emplace_back(info_of(static_cast<CauseKind>(kind)).slug);
  return names;
}

std::vector<std::string> fix_names() {
  std::vector<std::string> names;
  for (const fixes::Fix& fix : fixes::all()) names.emplace_back(fix.name);
  return names;
}

std::string byte_size(std::string& text) {
  constexpr std::int64_t kSmallestTrace = 1 << 20;  // names of functions alone take 40 KB
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string unit = text.substr(digits);
  const std::string_view units = "kMGT";
  const std::size_t at = unit.empty() ? 0 : units.find(unit == "K" ? 'k' : unit[0]) + 1;
  const bool known = unit.size() <= 1 && (unit.empty() || at > 0);
  if (digits == 0 || digits > 9 || !known || std::stoll(text.substr(0, digits)) == 0)
    return "'" + text + "' is no size; write 500M or 2G";
  const std::int64_t bytes = std::stoll(text.substr(0, digits)) << (10 * at);
  if (bytes < kSmallestTrace) return "less than 1M leaves no room for a trace";
  text = std::to_string(bytes);
  return "";
}

void most_expanded(CLI::App* command, std::int64_t& bytes) {
  command->add_option("--max-expanded", bytes, "Read compressed traces up to this size of text (default: 64G)")
      ->type_name("SIZE")
      ->transform(CLI::Validator(byte_size, ""));
}

void trace_file(CLI::App* command, std::string& file) {
  trace_word(command->add_option(
      "FILE", file,
      "A trace: .zstall, PyTorch profiler .json or .json.gz, Nsight Systems .sqlite, or a folder of "
      "them (default: the newest run*.zstall here)"));
}

void traces_of_a_job(CLI::App* command, std::vector<std::string>& files) {
  trace_word(command->add_option(
      "FILE", files,
      "A trace: .zstall, PyTorch profiler .json or .json.gz, Nsight Systems .sqlite, or a folder of "
      "them (default: the newest run*.zstall here); several, or a folder: the ranks of one job; - reads "
      "standard input"));
}

void rank(CLI::App* command, std::optional<std::int64_t>& value, const char* text) {
  command
      ->add_option_function<std::string>(
          "--rank", [&value](const std::string& given) { value = std::stoll(given); }, text)
      ->type_name("N")
      ->transform(CLI::Validator(whole_number(0, kMost), ""));
}

void how_to_find_steps(CLI::App* command, std::int64_t& warmup, std::string& pattern) {
  number(command->add_option("--warmup", warmup, "First steps that are shown and not judged (default: 2)"), 0);
  word(command->add_option("--step-pattern", pattern,
                           "Names of NVTX ranges that are steps, in traces without zerostall's own marks"),
       "REGEX");
}

CLI::Option* device_word(CLI::Option* option) {
  std::vector<std::string> words = {"auto", "gpu", "sim"};
  if (const auto paths = own_paths(); paths)
    for (const std::string& model : model_names(*paths)) words.push_back("sim:" + model);
  return complete_words(word(option, "DEVICE"), std::move(words));
}

CLI::Option* device(CLI::App* command, std::string& value) {
  return device_word(command->add_option("--device", value,
                                         "auto, gpu, sim or sim:MODEL; auto (default) takes a GPU where there is one"));
}

}  // namespace zerostall::cli
