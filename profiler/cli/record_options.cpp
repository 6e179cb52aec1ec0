#include "profiler/cli/record_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <functional>
#include <regex>
#include <span>

#include "profiler/base/strings.h"
#include "profiler/cli/completion_hint.h"
#include "profiler/cli/option_parts.h"
#include "profiler/cli/page.h"

namespace zerostall::cli {
namespace {

// A window is one of several options; not CLI11's own exclusion, which would fill the help with its names.
std::string second_window(const RecordArguments& options) {
  return options.window.empty() ? "" : "--steps, --seconds, --profiler-api and --toggle-signal exclude each other";
}

// "10:50" -> "steps:10:50".
std::function<std::string(std::string&)> from_to(const RecordArguments& options, const std::string& kind) {
  return [&options, kind](std::string& text) -> std::string {
    static const std::regex kPair("([0-9]{1,12}):([0-9]{1,12})");
    std::smatch match;
    if (!std::regex_match(text, match, kPair) || std::stoll(match[1]) >= std::stoll(match[2]))
      return "'" + text + "' is not FIRST:END, two whole numbers of which the second is larger";
    text = kind + ":" + text;
    return second_window(options);
  };
}

std::function<std::string(std::string&)> signal_name(const RecordArguments& options) {
  return [&options](std::string& text) -> std::string {
    const std::string name = text.starts_with("SIG") ? text.substr(3) : text;
    if (name != "USR1" && name != "USR2") return "'" + text + "' is neither USR1 nor USR2";
    text = "signal:" + std::to_string(name == "USR1" ? SIGUSR1 : SIGUSR2);
    return second_window(options);
  };
}

void add_windows(CLI::App* record, RecordArguments& options) {
  record->add_option("--steps", options.window, "Record these steps only: 10:50 are 10 to 49")
      ->type_name("FIRST:END")
      ->transform(CLI::Validator(from_to(options, "steps"), ""));
  record->add_option("--seconds", options.window, "Record this time only, in seconds since the first CUDA call")
      ->type_name("FIRST:END")
      ->transform(CLI::Validator(from_to(options, "seconds"), ""));
  complete_words(
      record
          ->add_option("--toggle-signal", options.window,
                       "Record from one such signal to the next: USR1 or USR2, sent to the program (not to record), "
                       "once it uses CUDA")
          ->type_name("SIGNAL")
          ->transform(CLI::Validator(signal_name(options), "")),
      {"USR1", "USR2"});
  record->add_flag_callback(
      "--profiler-api",
      [&options] {
        if (const std::string problem = second_window(options); !problem.empty())
          throw CLI::ValidationError("--profiler-api", problem);
        options.window = "profiler";
      },
      "Record between cudaProfilerStart and cudaProfilerStop only");
}

bool takes_value(const std::string& option) {
  constexpr std::array<std::string_view, 7> kWithValue = {"--device",     "-o",     "--output",    "--gpus",
                                                          "--sim-values", "--seed", "--host-clock"};
  return std::find(kWithValue.begin(), kWithValue.end(), option) != kWithValue.end();
}

}  // namespace

void add_record(CLI::App& app, RecordArguments& options) {
  CLI::App* record = app.add_subcommand("record", "Run a program and record what it asks of the GPU, simulated or not");
  record->group(kYourProgram)->footer(help_text(page_of("record")));
  device(record, options.device);
  word(record->add_option("-o,--output", options.output, "The trace to write (default: run.zstall, run-2.zstall ...)"),
       "FILE");
  record->add_flag("--quiet", options.quiet, "No summary at the end");
  number(record->add_option("--gpus", options.gpus, "Simulated GPUs the program sees (default: 1)"), 1, kMostGpus);
  complete_files(word(record->add_option("--sim-values", options.sim_values,
                                         "What read-backs from the simulated GPU return (JSON, see below)"),
                      "FILE"),
                 {".json"});
  record
      ->add_option_function<std::string>(
          "--seed", [&options](const std::string& text) { options.seed = std::stoll(text); },
          "Varies modelled times within their spread; the same seed gives the same times")
      ->type_name("N")
      ->transform(CLI::Validator(whole_number(0, kMost), ""));
  one_of(record->add_option("--host-clock", options.host_clock,
                            "model (default): a modelled cost per call; cpu: measured CPU time between calls"),
         "CLOCK", {"model", "cpu"});
  one_of(record->add_option("--stacks", options.stacks,
                            "Calls whose call stack is recorded: none, waits or all (default: waits)"),
         "CALLS", {"none", "waits", "all"});
  add_windows(record, options);
  record->add_flag(
      "--counts-only", options.counts_only,
      "No records of GPU work: cheaper; whether the GPU ran dry, and memory kinds of copies, stay unknown");
  record->add_option("--max-size", options.max_bytes, "Stop recording when the trace has this size, e.g. 2G")
      ->type_name("SIZE")
      ->transform(CLI::Validator(byte_size, ""));
  record->add_flag("--keep-host", options.keep_host,
                   "Store the host's name in the trace (default: its number in a job only)");
  record->add_flag("--whole-graphs", options.whole_graphs,
                   "One record for each launch of a CUDA graph, not for each kernel in it: cheaper, tells less");
  record->add_flag("--no-tracer", options.no_tracer,
                   "Only simulate, write no trace: leaves the profiler's place free for PyTorch's own");
}

Result<std::vector<std::string>> split_off_command(std::vector<std::string>& arguments) {
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  std::size_t first = 1;  // the first word that is none of our options
  const auto end = static_cast<std::size_t>(dashes - arguments.begin());
  while (first < end && arguments[first].starts_with('-')) {
    if (arguments[first] == "--help" || arguments[first] == "-h") return std::vector<std::string>{};
    first += takes_value(arguments[first]) ? 2 : 1;
  }
  const std::span<const std::string> all(arguments);
  if (first < end && dashes == arguments.end())
    return Error{fmt::format("the command stands behind `--`: zerostall {} -- {}", join(all.subspan(0, first), " "),
                             join(all.subspan(first), " "))};
  if (dashes == arguments.end() || dashes + 1 == arguments.end())
    return Error{"no command given: zerostall record -- python train.py"};
  if (dashes[1].empty()) return Error{"the command behind `--` is empty: an unset variable?"};
  std::vector<std::string> command(dashes + 1, arguments.end());
  arguments.erase(dashes, arguments.end());
  return command;
}

Result<std::vector<std::string>> split_off_optional_command(std::vector<std::string>& arguments) {
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  if (dashes == arguments.end()) return std::vector<std::string>{};
  if (dashes + 1 == arguments.end())
    return Error{fmt::format("no command behind `--`: zerostall {} -- python train.py", arguments.front())};
  std::vector<std::string> command(dashes + 1, arguments.end());
  arguments.erase(dashes, arguments.end());
  return command;
}

}  // namespace zerostall::cli
