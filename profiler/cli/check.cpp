#include "profiler/cli/check.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

#include "profiler/base/strings.h"
#include "profiler/cli/baseline_source.h"
#include "profiler/cli/check_parts.h"
#include "profiler/cli/commit.h"
#include "profiler/cli/policy_source.h"
#include "profiler/cli/processes.h"
#include "profiler/cli/report.h"
#include "profiler/cli/terminal.h"
#include "reports/check_bencher.h"
#include "reports/check_github.h"
#include "reports/check_gitlab.h"
#include "reports/check_json.h"
#include "reports/check_junit.h"
#include "reports/check_markdown.h"
#include "reports/check_sarif.h"
#include "reports/check_text.h"

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;

// The processes of traces that lie there.
std::variant<RecordedRun, Outcome> read_all(const CheckOptions& options, const Policy& policy) {
  RecordedRun run;
  for (const std::string& path : options.traces) {
    auto read = read_traces(path, policy.run, wants_page(options));
    if (!read) return fail(ExitCode::bad_use, read.error().message);
    for (NamedRun& process : read->runs) run.processes.push_back(std::move(process));
    if (!read->unreadable.empty()) run.problems.push_back(read->unreadable);
  }
  return run;
}

std::variant<RecordedRun, Outcome> record(const CheckOptions& options, const Policy& policy) {
  auto recorder = Recorder::make(recorder_settings(policy));
  if (auto* failed = std::get_if<Outcome>(&recorder)) return std::move(*failed);
  RecordingOptions recording = recording_options(policy);
  recording.timelines = wants_page(options);
  return std::get<Recorder>(recorder).run(policy.run.command, recording, options.keep);
}

// Before the run, which may change the working tree.
std::string find_commit() {
  SignalInbox inbox;
  return commit_here(inbox);
}

std::string render(const CheckReport& report, std::span<const CheckedRun> runs, std::span<const CheckedRun> before,
                   const Timelines& timelines, std::string_view format, bool to_file) {
  if (format == "md") return render_check_markdown(report);
  if (format == "github") return render_check_github(report);
  if (format == "gitlab") return render_check_gitlab(report);
  if (format == "junit") return render_check_junit(report);
  if (format == "sarif") return render_check_sarif(report);
  if (format == "json") return render_check_json(report);
  if (format == "bencher") return render_check_bencher(runs);
  if (format == "html") return html_of_check(report, runs, before, timelines);
  return render_check_text(report, {to_file ? TextStyle{} : style_of_output(Colour::when_terminal), !to_file});
}

// Files that an output must not replace.
std::vector<fs::path> inputs_of(const CheckOptions& options, const Policy& policy) {
  std::vector<fs::path> inputs;
  for (const std::string& file : {policy.file, policy.baseline, policy.run.sim_values, options.keep})
    if (!file.empty()) inputs.emplace_back(file);
  for (const std::string& trace : options.traces) inputs.emplace_back(trace);
  std::error_code error;
  for (const std::string& word : policy.run.command)  // the program itself, named by mistake
    if (fs::is_regular_file(word, error)) inputs.emplace_back(word);
  return inputs;
}

std::string why_no_baseline(const CheckOptions& options, const Policy& policy, const std::string& why) {
  std::error_code error;
  const std::string by = options.baseline.empty() ? policy.file + " names a baseline: " : "--baseline: ";
  const bool missing = !fs::exists(policy.baseline, error);
  return by + why +
         (missing ? fmt::format("; `zerostall baseline update -o {}` makes it", shell_word(policy.baseline)) : "");
}

// Says what would be judged, and runs nothing: for hooks that watch the files themselves.
Outcome dry_run(const Policy& policy) {
  std::string text =
      fmt::format("{}: {}, {}{}\n", policy.file.empty() ? "options" : policy.file,
                  counted(std::ssize(policy.budgets), "limit"), counted(std::ssize(policy.allow), "allowed wait"),
                  policy.baseline.empty() ? "" : ", baseline " + policy.baseline);
  for (const Budget& budget : policy.budgets) text += fmt::format("  {} {}\n", name_of(budget.level), describe(budget));
  return {ExitCode::ok, std::move(text), {}};
}

}  // namespace

RecordingOptions recording_options(const Policy& policy) {
  RecordingOptions options;
  options.warmup = policy.run.warmup;
  if (const auto given = step_options(policy.run.step_pattern)) options.steps = *given;
  options.steps.regions = policy.run.regions;
  options.sources = true;
  return options;
}

RecorderSettings recorder_settings(const Policy& policy) {
  return {policy.run.device, policy.run.gpus, policy.run.sim_values, policy.run.seed};
}

std::vector<CheckedRun> checked(const std::vector<NamedRun>& processes) {
  std::vector<CheckedRun> all;
  for (const NamedRun& process : processes) all.push_back({processes.size() > 1 ? process.name : "", &process.summary});
  return all;
}

std::vector<std::string> problems_of(const RecordedRun& run) {
  std::vector<std::string> problems = run.problems;
  if (run.processes.empty() && !run.why_empty.empty()) problems.push_back(run.why_empty);
  return problems;
}

Date today() { return Date(std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now())); }

Outcome conclude_check(const CheckReport& report, std::span<const CheckedRun> runs, std::span<const CheckedRun> before,
                       const Timelines& timelines, const Outputs& outputs) {
  Outcome outcome{static_cast<ExitCode>(report.exit_code), {}, {}};
  auto written = outputs.write(
      [&](std::string_view format, bool to_file) { return render(report, runs, before, timelines, format, to_file); });
  if (!written) return fail(ExitCode::bad_use, written.error().message);
  // What a machine reads from standard output stays alone there.
  outcome.out =
      outputs.has_standard_output() ? std::move(*written) : render(report, runs, before, timelines, "text", false);
  return outcome;
}

Outcome run_check(const CheckOptions& options) {
  if (options.schema) return {ExitCode::ok, std::string(check_schema()), {}};
  const auto policy = load_policy(options);
  if (!policy) return fail(ExitCode::bad_use, policy.error().message);
  std::optional<Baseline> baseline;
  std::vector<NamedRun> baseline_runs;  // where it is a trace: limits on what got slower compare with it
  if (!policy->baseline.empty() && !is_two_sided(options)) {
    auto loaded = load_baseline(policy->baseline, policy->run, &baseline_runs, wants_page(options));
    if (!loaded) return fail(ExitCode::bad_use, why_no_baseline(options, *policy, loaded.error().message));
    baseline = std::move(*loaded);
  }
  if (options.dry_run) return dry_run(*policy);
  const auto outputs = Outputs::make(options.outputs, kCheckFormats, inputs_of(options, *policy));
  if (!outputs) return fail(ExitCode::bad_use, outputs.error().message);
  if (is_two_sided(options)) return check_sides(options, *policy, *outputs);

  const std::string commit = find_commit();
  const auto run = options.traces.empty() ? record(options, *policy) : read_all(options, *policy);
  if (const auto* failed = std::get_if<Outcome>(&run)) return *failed;
  const auto runs = checked(std::get<RecordedRun>(run).processes);
  const auto problems = problems_of(std::get<RecordedRun>(run));
  const auto before = checked(baseline_runs);
  CheckReport report = check(*policy, runs, baseline ? &*baseline : nullptr, today(), before, problems);
  report.command = command_line(options, *policy);
  report.commit = commit;
  Timelines timelines;
  add_timelines(std::get<RecordedRun>(run).processes, timelines);
  add_timelines(baseline_runs, timelines);
  return conclude_check(report, runs, before, timelines, *outputs);
}

}  // namespace zerostall::cli
