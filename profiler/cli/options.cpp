#include "profiler/cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <map>

#include "profiler/base/strings.h"
#include "profiler/cli/baseline_options.h"
#include "profiler/cli/check_options.h"
#include "profiler/cli/command_tree.h"
#include "profiler/cli/compare_options.h"
#include "profiler/cli/completion_hint.h"
#include "profiler/cli/help.h"
#include "profiler/cli/help_formatter.h"
#include "profiler/cli/init_options.h"
#include "profiler/cli/option_parts.h"
#include "profiler/cli/page.h"
#include "profiler/cli/record_options.h"
#include "profiler/cli/report_options.h"
#include "profiler/cli/stat_options.h"
#include "scenarios/catalog.h"
#include "scenarios/presets.h"

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
  complete_words(option, names)
      ->type_name("NAME")
      ->transform(CLI::Validator(
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
  command->group(kYourProgram)->footer(help_text(page_of("export")));
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

std::vector<std::string> job_names() {
  std::vector<std::string> names;
  for (const scenarios::Scenario& scenario : scenarios::all()) names.emplace_back(scenario.name);
  for (const scenarios::Preset& preset : scenarios::presets()) names.push_back(preset.name);
  return names;
}

std::vector<std::string> size_names() {
  std::vector<std::string> names;
  for (const scenarios::Scenario& scenario : scenarios::all())
    for (const scenarios::Size& size : scenario.sizes)
      if (std::find(names.begin(), names.end(), size.name) == names.end()) names.emplace_back(size.name);
  return names;
}

std::vector<std::string> setting_names() {
  std::vector<std::string> names;
  for (const scenarios::SettingKey& key : scenarios::setting_keys()) names.push_back(std::string(key.name) + "=");
  return names;
}

void add_verify(CLI::App& app, VerifyOptions& options) {
  CLI::App* verify =
      app.add_subcommand("verify", "Run a training step with fixes off and on, and prove what each fix removes");
  verify->group(kReferenceJobs)->footer(help_text(page_of("verify")));
  complete_words(
      verify->add_option("SCENARIO", options.scenario, "The training step or preset to run; --list shows them")
          ->type_name(""),
      job_names());
  complete_words(
      word(verify->add_option("--size", options.size, "Model size (default: the scenario's); see --list"), "SIZE"),
      size_names());
  complete_words(word(verify->add_option(
                          "--with", options.with,
                          "What the run does besides the plain step, such as ema=cpu or resume; repeat it; see --list"),
                      "KEY=VALUE")
                     ->allow_extra_args(false),
                 setting_names());
  number(verify->add_option("--steps", options.steps, "Optimizer updates to run (default: 12)"), 1);
  number(verify->add_option("--warmup", options.warmup, "First steps that are not judged (default: 2)"), 0);
  number(verify->add_option("--batch", options.batch, "Samples per micro-step (default: 2)"), 1, kMostSamples);
  number(verify->add_option("--accum", options.accum, "Micro-steps per update: gradient accumulation (default: 1)"), 1,
         kMostSamples);
  std::vector<std::string> fixes_and_all = fix_names();
  fixes_and_all.emplace_back("all");
  complete_words(
      word(verify->add_option("--fix", options.fixes, "A fix to switch on, or all; repeat it for several"), "FIX")
          ->allow_extra_args(false),
      fixes_and_all);
  complete_words(
      word(verify->add_option("--sabotage", options.sabotage,
                              "FIX or FIX@STEP: break this fix on purpose, from that step on, to see verify catch it"),
           "FIX"),
      fix_names());
  device(verify, options.device);
  word(verify->add_option("--keep", options.keep, "Folder to keep the traces in: none.zstall, bn-pinning.zstall ..."),
       "FOLDER");
  verify->add_flag("--json", options.json, "Print JSON (schema zerostall/verify/1)");
  outputs(verify->add_option("--out", options.out,
                             "Also as text, md, json, junit or html, to a file or - (standard output); repeat it"),
          kVerifyFormats);
  verify->add_flag("--all", options.all, "Run every model, and every fix on each: one table");
  verify->add_flag("--catalogue", options.catalogue,
                   "Run the catalogue: each class of causes, its fixed twin, a near miss; or only the CLASSES named");
  complete_words(verify->add_option("CLASSES", options.classes, "Of --catalogue, such as scalar-read")->type_name(""),
                 cause_names());
  verify->add_flag("--list", options.list,
                   "List scenarios, sizes, presets, settings, fixes and device models, and run nothing");
}

void add_doctor(CLI::App& app, DoctorOptions& options) {
  CLI::App* doctor =
      app.add_subcommand("doctor", "Say what works on this machine, what does not, and what to do about it");
  doctor->group(kSetup)->footer(help_text(page_of("doctor")));
  device(doctor, options.device);
  word(doctor->add_option("--python", options.python, "The Python whose torch is looked at (default: that of PATH)"),
       "FILE");
  doctor->add_flag("--verbose", options.verbose, "Also how much of each library the simulated GPU has");
  doctor->add_flag("--json", options.json, "Print JSON (schema zerostall/doctor/2)");
}

void add_completion(CLI::App& app, CompletionOptions& options) {
  CLI::App* completion =
      app.add_subcommand("completion", "Print a script that completes commands and options with Tab");
  completion->group(kSetup)->footer(help_text(page_of("completion")));
  one_of(completion->add_option("SHELL", options.shell, "bash, zsh or fish"), "", {"bash", "zsh", "fish"})->required();
}

// `help`, `help COMMAND` and `version` are not commands, but everybody knows what they mean.
std::vector<std::string> plain_words_as_options(std::vector<std::string> arguments) {
  if (arguments.empty()) return arguments;
  if (arguments.front() == "version") return {"--version"};
  if (arguments.front() != "help") return arguments;
  if (arguments.size() == 1 || arguments[1] == "help") return {"--help"};
  return {arguments[1], "--help"};
}

constexpr auto kCommands =
    std::to_array<std::string_view>({"record", "stat", "diff", "check", "baseline", "history", "export", "report",
                                     "init", "verify", "explain", "doctor", "completion"});

// CLI11 would call a mistyped command an unexpected argument; say what was meant instead.
std::string unknown_command(const std::string& word) {
  if (word.starts_with('-') || std::find(kCommands.begin(), kCommands.end(), word) != kCommands.end()) return {};
  const auto meant = closest_name(word, kCommands);
  return fmt::format("unknown command '{}'{}; commands: {}", word,
                     meant ? fmt::format(", did you mean '{}'?", *meant) : "", join(kCommands, ", "));
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
  CompletionOptions completion;
};

// Everything there is, filling in `parsed`, which must outlive the use of `app`.
void add_commands(CLI::App& app, Parsed& parsed) {
  app.formatter(help_formatter());
  app.footer(help_text(page_of("")));
  app.require_subcommand(1);
  app.set_help_flag("-h,--help", "Print this help");
  app.set_version_flag("--version", std::string("zerostall ") + ZEROSTALL_VERSION, "Print the version");
  add_record(app, parsed.record);
  add_stat(app, parsed.stat);
  add_explain(app, parsed.explain);
  add_diff(app, parsed.diff);
  add_report(app, parsed.report);
  add_check(app, parsed.check);
  add_init(app, parsed.init);
  add_baseline(app, parsed.baseline);
  add_history(app, parsed.history);
  add_export(app, parsed.to_export, parsed.export_given);
  add_verify(app, parsed.verify);
  add_doctor(app, parsed.doctor);
  add_completion(app, parsed.completion);
}

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
  if (app.got_subcommand("completion")) return Options(parsed.completion);
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

void with_command_tree(const std::function<void(const CLI::App&)>& use) {
  CLI::App app(kAbout, "zerostall");
  Parsed parsed;
  add_commands(app, parsed);
  use(app);
}

Result<Options> parse_options(int argc, const char* const* argv) {
  CLI::App app(kAbout, "zerostall");
  Parsed parsed;
  add_commands(app, parsed);

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
    return Options(ShowOptions{app.help()});  // of the command, when one was given
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
