#include "profiler/cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <map>

#include "profiler/base/strings.h"
#include "profiler/cli/baseline_options.h"
#include "profiler/cli/check_options.h"
#include "profiler/cli/compare_options.h"
#include "profiler/cli/help.h"
#include "profiler/cli/init_options.h"
#include "profiler/cli/option_parts.h"
#include "profiler/cli/record_options.h"
#include "profiler/cli/report_options.h"
#include "profiler/cli/stat_options.h"

namespace zerostall::cli {
namespace {

constexpr const char* kReferenceJobs = "Our reference jobs";
constexpr const char* kSetup = "Setup";
constexpr const char* kProbeCommand = "probe-devices";

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
  verify->add_option("SCENARIO", options.scenario, "The training step or preset to run; --list shows them")
      ->type_name("");
  word(verify->add_option("--size", options.size, "Model size (default: the scenario's); see --list"), "SIZE");
  word(verify->add_option("--with", options.with,
                          "What the run does besides the plain step, such as ema=cpu or resume; repeat it; see --list"),
       "KEY=VALUE")
      ->allow_extra_args(false);
  number(verify->add_option("--steps", options.steps, "Optimizer updates to run (default: 12)"), 1);
  number(verify->add_option("--warmup", options.warmup, "First steps that are not judged (default: 2)"), 0);
  number(verify->add_option("--batch", options.batch, "Samples per micro-step (default: 2)"), 1, kMostSamples);
  number(verify->add_option("--accum", options.accum, "Micro-steps per update: gradient accumulation (default: 1)"), 1,
         kMostSamples);
  word(verify->add_option("--fix", options.fixes, "A fix to switch on, or all; repeat it for several"), "FIX")
      ->allow_extra_args(false);
  word(verify->add_option("--sabotage", options.sabotage,
                          "FIX or FIX@STEP: break this fix on purpose, from that step on, to see verify catch it"),
       "FIX");
  device(verify, options.device);
  word(verify->add_option("--keep", options.keep, "Folder to keep the traces in: none.zstall, bn-pinning.zstall ..."),
       "FOLDER");
  verify->add_flag("--json", options.json, "Print JSON (schema zerostall/verify/1)");
  word(verify->add_option("--out", options.out,
                          "Also as text, md, json, junit or html, to a file or - (standard output); repeat it"),
       "FORMAT=FILE")
      ->allow_extra_args(false);
  verify->add_flag("--all", options.all, "Run every model, and every fix on each: one table");
  verify->add_flag("--catalogue", options.catalogue,
                   "Run the catalogue: each class of causes, its fixed twin, a near miss; or only the CLASSES named");
  verify->add_option("CLASSES", options.classes, "Of --catalogue, such as scalar-read")->type_name("");
  verify->add_flag("--list", options.list,
                   "List scenarios, sizes, presets, settings, fixes and device models, and run nothing");
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

constexpr auto kCommands = std::to_array<std::string_view>({"record", "stat", "diff", "check", "baseline", "history",
                                                            "export", "report", "init", "verify", "explain", "doctor"});

// CLI11 would call a mistyped command an unexpected argument; say what was meant instead.
std::string unknown_command(const std::string& word) {
  if (word.starts_with('-') || std::find(kCommands.begin(), kCommands.end(), word) != kCommands.end()) return {};
  const auto meant = closest_name(word, kCommands);
  return fmt::format("unknown command '{}'{}; commands: {}", word,
                     meant ? fmt::format(", did you mean '{}'?", *meant) : "", join(kCommands, ", "));
}

// CLI11 does not know of the command behind `--`.
std::string with_command_in_usage(std::string help) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kUsages = {
      {{"zerostall record [OPTIONS]", " -- COMMAND [ARGUMENTS...]"},
       {"zerostall check [OPTIONS] [TRACE...]", " [-- COMMAND [ARGUMENTS...]]"},
       {"zerostall init [OPTIONS] [TRACE...]", " [-- COMMAND [ARGUMENTS...]]"}}};
  for (const auto& [usage, command] : kUsages)
    if (const std::size_t at = help.find(usage); at != std::string::npos) help.insert(at + usage.size(), command);
  return help;
}

// Everything a command line can fill in.
struct Parsed {
  RecordArguments record;
  StatOptions stat;
  DiffOptions diff;
  CheckOptions check;
  BaselineOptions baseline;
  HistoryOptions history;
  ExplainOptions explain;
  ExportArguments to_export;
  ExportGiven export_given;
  ReportArguments report;
  InitOptions init;
  VerifyOptions verify;
  DoctorOptions doctor;
};

Result<Options> chosen_verify(const CLI::App& app, VerifyOptions& verify) {
  verify.steps_given = app.count("--steps") > 0;
  verify.warmup_given = app.count("--warmup") > 0;
  if (verify.catalogue) {
    if (!verify.scenario.empty()) verify.classes.insert(verify.classes.begin(), std::move(verify.scenario));
    verify.scenario.clear();
    return Options(verify);
  }
  if (!verify.classes.empty())
    return Error{fmt::format("verify runs one scenario: '{}' is one too many", verify.classes.front())};
  if (verify.all && !verify.scenario.empty())
    return Error{"verify --all runs every model: leave the scenario out, or leave --all out"};
  if (verify.scenario.empty() && !verify.list && !verify.all)
    return Error{"verify needs a scenario, such as `zerostall verify flux2`; `zerostall verify --list` shows all"};
  return Options(verify);
}

Result<Options> chosen(CLI::App& app, Parsed& parsed) {
  if (app.got_subcommand("record")) {
    parsed.record.gpus_given = app.get_subcommand("record")->count("--gpus") > 0;
    return Options(parsed.record);
  }
  if (app.got_subcommand("stat")) return chosen_stat(parsed.stat);
  if (app.got_subcommand("diff")) return chosen_diff(parsed.diff);
  if (app.got_subcommand("check")) return chosen_check(parsed.check);
  if (app.got_subcommand("baseline")) return chosen_baseline(parsed.baseline);
  if (app.got_subcommand("history")) return chosen_history(parsed.history);
  if (app.got_subcommand("explain")) return Options(parsed.explain);
  if (app.got_subcommand("init")) return chosen_init(parsed.init);
  if (app.got_subcommand("doctor")) return Options(parsed.doctor);
  if (app.got_subcommand("report")) return Options(parsed.report);
  if (app.got_subcommand("export")) {
    if (!parsed.to_export.schema && !parsed.export_given.format)
      return Error{"export needs --format perfetto, chrome, csv or json"};
    if (parsed.export_given.table && parsed.to_export.format != ExportFormat::csv)
      return Error{"--table is for --format csv"};
    return Options(parsed.to_export);
  }
  return chosen_verify(*app.get_subcommand("verify"), parsed.verify);
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
  add_check(app, parsed.check);
  add_baseline(app, parsed.baseline);
  add_history(app, parsed.history);
  add_export(app, parsed.to_export, parsed.export_given);
  add_report(app, parsed.report);
  add_init(app, parsed.init);
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
  if (arguments.front() == "check" || arguments.front() == "init") {
    auto& target = arguments.front() == "check" ? parsed.check.command : parsed.init.command;
    auto command = split_off_optional_command(arguments);
    if (!command) return command.error();
    target = std::move(*command);
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
