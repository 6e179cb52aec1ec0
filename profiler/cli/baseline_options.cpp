#include "profiler/cli/baseline_options.h"

#include "profiler/cli/completion_hint.h"
#include "profiler/cli/option_parts.h"
#include "profiler/cli/page.h"
#include "profiler/gate/policy.h"

namespace zerostall::cli {
namespace {

constexpr const char* kTrace = "A trace, or a folder with one per process, as `stat` takes them";

void finding_steps(CLI::App* command, CountedSteps& steps) {
  complete_files(word(command->add_option("--policy", steps.policy,
                                          "What says how to run and judge (default: zerostall.toml here, if any)"),
                      "FILE"),
                 {".toml"});
  command
      ->add_option_function<std::string>(
          "--warmup", [&steps](const std::string& given) { steps.warmup = std::stoll(given); },
          "First steps that are not judged (default: the policy's, or 2)")
      ->type_name("N")
      ->transform(CLI::Validator(whole_number(0, kMost), ""));
  word(command->add_option("--step-pattern", steps.step_pattern,
                           "Names of NVTX ranges that are steps, in traces without zerostall's own marks"),
       "REGEX");
  command->add_flag("--inferred-steps", steps.inferred, "Take steps that are inferred, where none are marked");
}

CLI::App* part(CLI::App* command, const char* name, const char* text, const std::function<void()>& chosen) {
  CLI::App* part = command->add_subcommand(name, text);
  part->group("Commands")->callback(chosen);
  return part;
}

bool is_count(const Metric& metric) { return metric.kind == MetricKind::counter && !metric.is_time; }

std::string metric_name(std::string& text) {
  const Metric* metric = find_metric(text);
  if (metric != nullptr && is_count(*metric)) return "";
  return "'" + text + "' is no count; waits, stream_syncs, h2d_stalls ... (see `zerostall init --help`)";
}

std::vector<std::string> counts() {
  std::vector<std::string> names;
  for (const Metric& metric : all_metrics())
    if (is_count(metric)) names.emplace_back(metric.key);
  return names;
}

void view_options(CLI::App* command, HistoryOptions& options) {
  complete_words(command->add_option("--metric", options.metric, "What is counted (default: waits)")
                     ->type_name("NAME")
                     ->transform(CLI::Validator(metric_name, "")),
                 counts());
  word(command->add_option("--branch", options.branch, "This branch only"), "NAME");
  number(command->add_option("--last", options.last, "So many commits of each series (default: 40)"), 2);
}

}  // namespace

void add_baseline(CLI::App& app, BaselineOptions& options) {
  CLI::App* baseline =
      app.add_subcommand("baseline", "Write down what a program waits for today, so that it never gets more");
  baseline->group(kYourProgram)->footer(help_text(page_of("baseline")));
  CLI::App* update = part(baseline, "update", "Write the baseline, or tighten it",
                          [&options] { options.action = BaselineAction::update; });
  update->footer(help_text(page_of("baseline")));
  trace_word(update->add_option("TRACE", options.trace, std::string(kTrace) + " (default: run the policy's command)"));
  word(update->add_option("-o,--output", options.output,
                          "The baseline (default: the policy's, or zerostall.baseline.json)"),
       "FILE");
  update->add_flag("--accept-more", options.accept_more, "Take over what got worse, too");
  finding_steps(update, options.steps);
  CLI::App* show =
      part(baseline, "show", "Show a baseline as a table", [&options] { options.action = BaselineAction::show; });
  show->footer(help_text(page_of("baseline")));
  trace_word(show->add_option("FILE", options.file, "A baseline, or a trace (default: zerostall.baseline.json)"));
  finding_steps(show, options.steps);
}

void add_history(CLI::App& app, HistoryOptions& options) {
  CLI::App* history = app.add_subcommand("history", "Keep counts commit by commit: since when does it wait more?");
  history->group(kYourProgram)->footer(help_text(page_of("history")));
  const auto database = [&options](CLI::App* command) {
    command->footer(help_text(page_of("history")));
    word(command->add_option("--db", options.database, "The database (default: zerostall-history.sqlite)"), "FILE");
  };
  CLI::App* add = part(history, "add", "Add a run", [&options] { options.action = HistoryAction::add; });
  database(add);
  trace_word(add->add_option("TRACE", options.trace, kTrace)->required());
  word(add->add_option("--commit", options.commit, "What was run (default: HEAD of the repository here)"), "ID");
  word(add->add_option("--branch", options.branch, "Its branch (default: the one that is checked out here)"), "NAME");
  finding_steps(add, options.steps);
  CLI::App* show = part(history, "show", "Show counts by commit, and where they rose",
                        [&options] { options.action = HistoryAction::show; });
  database(show);
  view_options(show, options);
  show->add_flag("--json", options.json, "Print JSON (schema zerostall/history/1)");
  CLI::App* plot = part(history, "plot", "Draw counts by commit", [&options] { options.action = HistoryAction::plot; });
  database(plot);
  view_options(plot, options);
}

Result<Options> chosen_baseline(const BaselineOptions& options) {
  if (options.action == BaselineAction::none)
    return Error{"baseline needs `update` or `show`: zerostall baseline update run.zstall"};
  return Options(options);
}

Result<Options> chosen_history(const HistoryOptions& options) {
  if (options.action == HistoryAction::none)
    return Error{"history needs `add`, `show` or `plot`: zerostall history add run.zstall"};
  return Options(options);
}

}  // namespace zerostall::cli
