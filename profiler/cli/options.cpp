#include "profiler/cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <csignal>
#include <functional>
#include <map>
#include <regex>
#include <span>

#include "profiler/base/strings.h"
#include "profiler/cli/compare_options.h"
#include "profiler/cli/help.h"
#include "profiler/cli/option_parts.h"

namespace zerostall::cli {
namespace {

constexpr const char* kReferenceJobs = "Our reference jobs";
constexpr const char* kSetup = "Setup";
constexpr const char* kProbeCommand = "probe-devices";

CLI::Option* device(CLI::App* command, std::string& value) {
  return word(command->add_option("--device", value,
                                  "auto, gpu, sim or sim:MODEL; auto (default) takes a GPU where there is one"),
              "DEVICE");
}

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
  record
      ->add_option("--toggle-signal", options.window,
                   "Record from one such signal to the next: USR1 or USR2, sent to the program (not to record), once "
                   "it uses CUDA")
      ->type_name("SIGNAL")
      ->transform(CLI::Validator(signal_name(options), ""));
  record->add_flag_callback(
      "--profiler-api",
      [&options] {
        if (const std::string problem = second_window(options); !problem.empty())
          throw CLI::ValidationError("--profiler-api", problem);
        options.window = "profiler";
      },
      "Record between cudaProfilerStart and cudaProfilerStop only");
}

void add_record(CLI::App& app, RecordArguments& options) {
  CLI::App* record = app.add_subcommand("record", "Run a program and record what it asks of the GPU, simulated or not");
  record->group(kYourProgram)->footer(kRecordFooter);
  device(record, options.device);
  word(record->add_option("-o,--output", options.output, "The trace to write (default: run.zstall, run-2.zstall ...)"),
       "FILE");
  record->add_flag("--quiet", options.quiet, "No summary at the end");
  number(record->add_option("--gpus", options.gpus, "Simulated GPUs the program sees (default: 1)"), 1, kMostGpus);
  word(record->add_option("--sim-values", options.sim_values,
                          "What read-backs from the simulated GPU return (JSON, see below)"),
       "FILE");
  record
      ->add_option_function<std::string>(
          "--seed", [&options](const std::string& text) { options.seed = std::stoll(text); },
          "Varies modelled times within their spread; the same seed gives the same times")
      ->type_name("N")
      ->transform(CLI::Validator(whole_number(0, kMost), ""));
  word(record->add_option("--host-clock", options.host_clock,
                          "model (default): a modelled cost per call; cpu: measured CPU time between calls"),
       "CLOCK")
      ->check(CLI::IsMember({"model", "cpu"}).description(""));
  word(record->add_option("--stacks", options.stacks,
                          "Calls whose call stack is recorded: none, waits or all (default: waits)"),
       "CALLS")
      ->check(CLI::IsMember({"none", "waits", "all"}).description(""));
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

void add_stat(CLI::App& app, StatOptions& options) {
  CLI::App* stat =
      app.add_subcommand("stat", "Show where each step of a trace waits, and why: our own traces and other tools'");
  stat->group(kYourProgram)->footer(kStatFooter);
  traces_of_a_job(stat, options.files);
  stat->add_flag("--json", options.json, "Print JSON (schema zerostall/stat/1)");
  stat->add_flag(
      "--overhead", options.own_cost,
      "Say what the tracer itself took (measured times: always; simulated: real time, never the same twice)");
  stat->add_flag("--corrected", options.corrected, "Measured times without what the tracer itself took");
  stat->add_flag("--stacks", options.stacks, "Show where waits come from: lines of Python and native functions");
  stat->add_option("--symbols", options.symbols,
                   "With --stacks: a folder or file with libraries of the traced program, searched first")
      ->type_name("PATH")
      ->allow_extra_args(false)
      ->needs("--stacks");
  rank(stat, options.rank, "The process to show, of a folder of traces (default: the one that waits most)");
  stat->add_flag("--verbose", options.verbose,
                 "Every kind of wait and copy, and what a file of another tool holds, used or not");
  most_expanded(stat, options.most_expanded);
  how_to_find_steps(stat, options.warmup, options.step_pattern);
}

// What of `export` stood on the command line.
struct ExportGiven {
  std::string format_word, table_word;
  bool format = false, table = false;
};

// Turns a word into one of several values.
template <class Value>
void choice(CLI::Option* option, Value& value, const std::map<std::string, Value>& choices, bool& given) {
  std::vector<std::string> names;
  for (const auto& [name, chosen] : choices) names.push_back(name);
  option->type_name("NAME")->transform(CLI::Validator(
      [&value, &given, choices, names](std::string& text) -> std::string {
        const auto chosen = choices.find(text);
        if (chosen == choices.end()) return fmt::format("'{}' is none of {}", text, join(names, ", "));
        value = chosen->second;
        given = true;
        return {};
      },
      ""));
}

void add_export(CLI::App& app, ExportArguments& options, ExportGiven& given) {
  CLI::App* command = app.add_subcommand("export", "Write a trace in a form that other tools open");
  command->group(kYourProgram)->footer(kExportFooter);
  trace_file(command, options.file);
  choice(command->add_option("--format", given.format_word, "perfetto, chrome, csv or json"), options.format,
         {{"perfetto", ExportFormat::perfetto},
          {"chrome", ExportFormat::chrome},
          {"csv", ExportFormat::csv},
          {"json", ExportFormat::json}},
         given.format);
  word(command->add_option("-o,--output", options.output, "The file to write (default: standard output)"), "FILE");
  choice(command->add_option("--table", given.table_word,
                             "With csv: steps (default), waits, calls or copies, one row each"),
         options.table,
         {{"steps", CsvTable::steps},
          {"waits", CsvTable::waits},
          {"calls", CsvTable::calls},
          {"copies", CsvTable::copies}},
         given.table);
  rank(command, options.rank, "The process to write, of several (default: all)");
  most_expanded(command, options.most_expanded);
  how_to_find_steps(command, options.warmup, options.step_pattern);
  command->add_flag("--schema", options.schema, "Print the JSON Schema of --format json, and do nothing else");
}

void add_verify(CLI::App& app, VerifyOptions& options) {
  CLI::App* verify =
      app.add_subcommand("verify", "Run a training step with fixes off and on, and prove what each fix removes");
  verify->group(kReferenceJobs)->footer(kVerifyFooter);
  verify->add_option("SCENARIO", options.scenario, "The training step to run: flux2")->type_name("");
  word(verify->add_option("--size", options.size, "Model size (default: klein-9b); see --list"), "SIZE");
  number(verify->add_option("--steps", options.steps, "Optimizer updates to run (default: 12)"), 1);
  number(verify->add_option("--warmup", options.warmup, "First steps that are not judged (default: 2)"), 0);
  number(verify->add_option("--batch", options.batch, "Samples per micro-step (default: 2)"), 1, kMostSamples);
  number(verify->add_option("--accum", options.accum, "Micro-steps per update: gradient accumulation (default: 1)"), 1,
         kMostSamples);
  word(verify->add_option("--fix", options.fixes, "A fix to switch on; repeat it for several"), "FIX")
      ->allow_extra_args(false);
  word(verify->add_option("--sabotage", options.sabotage,
                          "FIX or FIX@STEP: break this fix on purpose, from that step on, to see verify catch it"),
       "FIX");
  device(verify, options.device);
  word(verify->add_option("--keep", options.keep, "Folder to keep the traces in: none.zstall, bn-pinning.zstall ..."),
       "FOLDER");
  verify->add_flag("--json", options.json, "Print JSON (schema zerostall/verify/1)");
  word(verify->add_option("--out", options.out,
                          "Also as text, md, json or junit, to a file or - (standard output); repeat it"),
       "FORMAT=FILE")
      ->allow_extra_args(false);
  verify->add_flag("--list", options.list, "List scenarios, sizes, fixes and device models, and run nothing");
}

void add_doctor(CLI::App& app, DoctorOptions& options) {
  CLI::App* doctor = app.add_subcommand("doctor", "Say what is installed and works: tracer, simulated GPU, GPU, torch");
  doctor->group(kSetup)->footer(kDoctorFooter);
  device(doctor, options.device);
  doctor->add_flag("--json", options.json, "Print JSON (schema zerostall/doctor/1)");
}

// `help`, `help COMMAND` and `version` are not commands, but everybody knows what they mean.
std::vector<std::string> plain_words_as_options(std::vector<std::string> arguments) {
  if (arguments.empty()) return arguments;
  if (arguments.front() == "version") return {"--version"};
  if (arguments.front() != "help") return arguments;
  if (arguments.size() == 1 || arguments[1] == "help") return {"--help"};
  return {arguments[1], "--help"};
}

constexpr std::array<std::string_view, 7> kCommands = {"record", "stat",    "diff",  "export",
                                                       "verify", "explain", "doctor"};

// CLI11 would call a mistyped command an unexpected argument; say what was meant instead.
std::string unknown_command(const std::string& word) {
  if (word.starts_with('-') || std::find(kCommands.begin(), kCommands.end(), word) != kCommands.end()) return {};
  const auto meant = closest_name(word, kCommands);
  return fmt::format("unknown command '{}'{}; commands: {}", word,
                     meant ? fmt::format(", did you mean '{}'?", *meant) : "", join(kCommands, ", "));
}

// CLI11 does not know of the command behind `--`.
std::string with_command_in_usage(std::string help) {
  constexpr std::string_view kUsage = "zerostall record [OPTIONS]";
  if (const std::size_t at = help.find(kUsage); at != std::string::npos)
    help.insert(at + kUsage.size(), " -- COMMAND [ARGUMENTS...]");
  return help;
}

bool takes_value(const std::string& option) {
  constexpr std::array<std::string_view, 7> kWithValue = {"--device",     "-o",     "--output",    "--gpus",
                                                          "--sim-values", "--seed", "--host-clock"};
  return std::find(kWithValue.begin(), kWithValue.end(), option) != kWithValue.end();
}

// Takes the command behind `--` off the arguments of `record`. An error is a command that is not there, or stands
// without `--`, where its options would be taken for ours.
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
  std::vector<std::string> command(dashes + 1, arguments.end());
  arguments.erase(dashes, arguments.end());
  return command;
}

// Everything a command line can fill in.
struct Parsed {
  RecordArguments record;
  StatOptions stat;
  DiffOptions diff;
  ExplainOptions explain;
  ExportArguments to_export;
  ExportGiven export_given;
  VerifyOptions verify;
  DoctorOptions doctor;
};

Result<Options> chosen(CLI::App& app, Parsed& parsed) {
  if (app.got_subcommand("record")) {
    parsed.record.gpus_given = app.get_subcommand("record")->count("--gpus") > 0;
    return Options(parsed.record);
  }
  if (app.got_subcommand("stat")) return Options(parsed.stat);
  if (app.got_subcommand("diff")) return chosen_diff(parsed.diff);
  if (app.got_subcommand("explain")) return Options(parsed.explain);
  if (app.got_subcommand("doctor")) return Options(parsed.doctor);
  if (app.got_subcommand("export")) {
    if (!parsed.to_export.schema && !parsed.export_given.format)
      return Error{"export needs --format perfetto, chrome, csv or json"};
    if (parsed.export_given.table && parsed.to_export.format != ExportFormat::csv)
      return Error{"--table is for --format csv"};
    return Options(parsed.to_export);
  }
  if (parsed.verify.scenario.empty() && !parsed.verify.list)
    return Error{"verify needs a scenario, such as `zerostall verify flux2`; `zerostall verify --list` shows all"};
  return Options(parsed.verify);
}

}  // namespace

Result<Options> parse_options(int argc, const char* const* argv) {
  CLI::App app(kAbout, "zerostall");
  app.footer(kFooter);
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("zerostall ") + ZEROSTALL_VERSION, "Print the version");
  app.get_formatter()->column_width(34);
  Parsed parsed;
  add_record(app, parsed.record);
  add_stat(app, parsed.stat);
  add_diff(app, parsed.diff);
  add_export(app, parsed.to_export, parsed.export_given);
  add_verify(app, parsed.verify);
  add_explain(app, parsed.explain);
  add_doctor(app, parsed.doctor);

  if (argc < 2) return Options(ShowOptions{kShortHelp, false});
  auto arguments = plain_words_as_options({argv + 1, argv + argc});
  if (arguments.front() == kProbeCommand) return Options(ProbeOptions{});
  if (auto message = unknown_command(arguments.front()); !message.empty()) return Error{std::move(message)};
  if (arguments.front() == "record") {
    auto command = split_off_command(arguments);
    if (!command) return command.error();
    parsed.record.command = std::move(*command);
  }
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    return Options(ShowOptions{with_command_in_usage(app.help())});  // of the command, when one was given
  } catch (const CLI::CallForVersion& version) {
    return Options(ShowOptions{std::string(version.what()) + "\n"});
  } catch (const CLI::ParseError& error) {
    const auto used = app.get_subcommands();
    return Error{fmt::format("{} (see `zerostall {}--help`)", last_lines(error.what(), 9),
                             used.empty() ? "" : used.front()->get_name() + " ")};
  }
  return chosen(app, parsed);
}

}  // namespace zerostall::cli
