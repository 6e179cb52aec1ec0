// What several commands' options are made of.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace zerostall::cli {

// Groups of commands in the help.
inline constexpr const char* kYourProgram = "Your program";

inline constexpr std::int64_t kMost = 1'000'000;  // of anything that is counted on the command line

// A check for CLI11: a whole number from `least` to `most`. Not CLI11's own reading, which takes 010 for eight, nor its
// range, which would print its bounds into every line of the help.
std::function<std::string(std::string&)> whole_number(std::int64_t least, std::int64_t most);

CLI::Option* number(CLI::Option* option, std::int64_t least, std::int64_t most = kMost);

// A text that is there: an empty one is a shell variable that was never set, and must not stand for the default.
CLI::Option* word(CLI::Option* option, const char* type);

// The same for a trace, and for one of several words, which completion offers.
CLI::Option* trace_word(CLI::Option* option, const char* type = "");
CLI::Option* one_of(CLI::Option* option, const char* type, const std::vector<std::string>& words);

// --out FORMAT=FILE.
CLI::Option* outputs(CLI::Option* option, std::span<const std::string_view> formats);

// What completion offers, from where the names are defined.
std::vector<std::string> cause_names();
std::vector<std::string> fix_names();

// A size of at least a megabyte, for CLI11's transform: "500M" -> "524288000".
std::string byte_size(std::string& text);
void most_expanded(CLI::App* command, std::int64_t& bytes);

// Of commands that read a trace: FILE, --rank, --warmup and --step-pattern.
void trace_file(CLI::App* command, std::string& file);
void traces_of_a_job(CLI::App* command, std::vector<std::string>& files);
void rank(CLI::App* command, std::optional<std::int64_t>& value, const char* text);
void how_to_find_steps(CLI::App* command, std::int64_t& warmup, std::string& pattern);

// --device, of commands that run a program; device_word: of one that has a text of its own.
CLI::Option* device_word(CLI::Option* option);
CLI::Option* device(CLI::App* command, std::string& value);

}  // namespace zerostall::cli
