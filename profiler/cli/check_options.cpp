#include "profiler/cli/check_options.h"

#include <fmt/format.h>

#include "profiler/cli/completion_hint.h"
#include "profiler/cli/option_parts.h"
#include "profiler/cli/page.h"
#include "profiler/gate/policy.h"

namespace zerostall::cli {
namespace {

void add_what_is_judged(CLI::App* check, CheckOptions& options) {
  trace_word(check->add_option("TRACE", options.traces,
                               "Traces of one job, or a folder of them (default: run [run] command of the policy)"));
  device_word(check->add_option("--device", options.device,
                                "auto, gpu, sim or sim:MODEL, for the command (default: the policy's)"));
  check
      ->add_option_function<std::string>(
          "--gpus", [&options](const std::string& given) { options.gpus = std::stoll(given); },
          "Simulated GPUs the command sees (default: the policy's, or 1)")
      ->type_name("N")
      ->transform(CLI::Validator(whole_number(1, kMostGpus), ""));
  check
      ->add_option_function<std::string>(
          "--warmup", [&options](const std::string& given) { options.warmup = std::stoll(given); },
          "First steps that are not judged (default: the policy's, or 2)")
      ->type_name("N")
      ->transform(CLI::Validator(whole_number(0, kMost), ""));
  word(check->add_option("--step-pattern", options.step_pattern,
                         "Names of NVTX ranges that are steps, in traces without zerostall's own marks"),
       "REGEX");
  check->add_flag("--inferred-steps", options.inferred, "Judge steps that are inferred, where none are marked");
}

// "waits=" ...: what a limit begins with.
std::vector<std::string> limits() {
  std::vector<std::string> words;
  for (const Metric& metric : all_metrics()) words.push_back(std::string(metric.key) + "=");
  return words;
}

void add_rules(CLI::App* check, CheckOptions& options) {
  complete_files(word(check->add_option("--policy", options.policy,
                                        "The policy (default: zerostall.toml here, unless --max is given)"),
                      "FILE"),
                 {".toml"});
  complete_words(
      word(check->add_option(
               "--max", options.max,
               "A limit: waits=0, train.h2d_stalls=4 (region train), waits.p95=1, blocked_time=2ms; repeat it"),
           "METRIC=N")
          ->allow_extra_args(false),
      limits());
  trace_word(check->add_option("--baseline", options.baseline,
                               "What must not get more: a baseline file, or a trace (default: the policy's)"),
             "FILE");
  one_of(check->add_option("--fail-on", options.fail_on, "improved: fewer waits than the baseline fail too"), "WHAT",
         {"improved"});
}

void add_two_sides(CLI::App* check, CheckOptions& options) {
  word(check->add_option("--before", options.before, "Compare with this command, run in turns with --after"),
       "COMMAND");
  word(check->add_option("--after", options.after, "The command that is judged against --before"), "COMMAND");
  word(check->add_option(
           "--before-rev", options.before_rev,
           "Compare with this git revision, checked out beside the working tree, running the command there"),
       "REV");
  word(check->add_option("--build", options.build, "With --before-rev: run before the command, in both trees"),
       "COMMAND");
  check
      ->add_option_function<std::string>(
          "--runs", [&options](const std::string& given) { options.runs = std::stoll(given); },
          "Runs of each side (default: 1; 3 where times are limited)")
      ->type_name("N")
      ->transform(CLI::Validator(whole_number(1, kMostRuns), ""));
  number(check->add_option("--most-runs", options.most_runs,
                           "Up to so many of each side while a limit on times is unclear (default: 9)"),
         1, kMostRuns);
}

}  // namespace

void add_check(CLI::App& app, CheckOptions& options) {
  CLI::App* check = app.add_subcommand("check", "Judge a run against budgets and a baseline: the gate for CI");
  check->group(kYourProgram)->footer(help_text(page_of("check")));
  add_what_is_judged(check, options);
  add_rules(check, options);
  add_two_sides(check, options);
  outputs(check->add_option("--out", options.outputs,
                            "FORMAT=FILE, - for standard output (default: text=-); repeat it. Formats: see below"),
          kCheckFormats);
  word(check->add_option("--keep", options.keep, "Keep the trace of the command under this name"), "FILE");
  check->add_flag("--dry-run", options.dry_run, "Read policy and baseline, say what would be judged, and run nothing");
  check->add_flag("--schema", options.schema, "Print the JSON Schema of --out json, and do nothing else");
}

Result<Options> chosen_check(CheckOptions options) {
  if (!options.command.empty() && options.command.front().empty())
    return Error{"the command behind `--` is empty: an unset variable?"};
  const bool has_trace = !options.traces.empty(), has_command = !options.command.empty();
  const bool two_commands = !options.before.empty() || !options.after.empty();
  if (has_trace && has_command)
    return Error{"check judges a trace or the run of a command, not both: leave one of them out"};
  if (options.before.empty() != options.after.empty())
    return Error{"--before and --after go together: zerostall check --before 'python old.py' --after 'python new.py'"};
  if (two_commands && (has_trace || has_command))
    return Error{"--before and --after are the commands: no trace and no other command beside them"};
  if (!options.before_rev.empty() && (two_commands || has_trace))
    return Error{
        "--before-rev runs one command in two trees: zerostall check --before-rev origin/main -- python train.py"};
  if (!options.build.empty() && options.before_rev.empty()) return Error{"--build is for --before-rev"};
  const bool two_sides = two_commands || !options.before_rev.empty();
  if (options.runs && !two_sides) return Error{"--runs is for --before and --after, or --before-rev"};
  if (two_sides && !options.baseline.empty())
    return Error{"--baseline and another run to compare with exclude each other"};
  if (two_sides && !options.keep.empty()) return Error{"--keep is for one command"};
  return Options(std::move(options));
}

}  // namespace zerostall::cli
