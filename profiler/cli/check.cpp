#include "profiler/cli/check.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <utility>

#include "profiler/base/files.h"
#include "profiler/base/strings.h"
#include "profiler/cli/baseline_source.h"
#include "profiler/cli/check_sides.h"
#include "profiler/cli/outputs.h"
#include "profiler/cli/policy_source.h"
#include "profiler/cli/processes.h"
#include "profiler/cli/recorded_run.h"
#include "profiler/cli/say.h"
#include "profiler/cli/source_texts.h"
#include "profiler/gate/check.h"
#include "profiler/gate/policy_file.h"
#include "reports/check_json.h"

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;

StepOptions step_options(const Policy& policy) {
  StepOptions steps;
  if (!policy.run.step_pattern.empty()) steps.pattern = policy.run.step_pattern;
  return steps;
}

// The processes of traces that lie there.
std::variant<RecordedRun, Outcome> read_traces(const std::vector<std::string>& paths, const Policy& policy) {
  RecordedRun run;
  for (const std::string& path : paths) {
    const auto take = [&](std::string name, const fs::path& file, RawTrace raw) {
      const SummaryOptions wanted{file.string(), policy.run.warmup, false, false, read_sources(raw, file)};
      run.processes.push_back({std::move(name), analyze(std::move(raw), wanted, step_options(policy))});
    };
    const auto unreadable = for_each_process(path, {}, take);
    if (!unreadable) return fail(ExitCode::bad_use, unreadable.error().message);
    for (const UnreadableTrace& trace : *unreadable)
      run.problems.push_back(fmt::format("{} in {} cannot be read: {}", trace.name, path, trace.why));
  }
  run.trace = join(paths, " ");
  return run;
}

std::variant<RecordedRun, Outcome> record(const CheckOptions& options, const Policy& policy) {
  auto recorder = Recorder::make({policy.run.device, policy.run.gpus, policy.run.sim_values, policy.run.seed});
  if (auto* failed = std::get_if<Outcome>(&recorder)) return std::move(*failed);
  RecordingOptions wanted;
  wanted.warmup = policy.run.warmup;
  wanted.steps = step_options(policy);
  wanted.sources = true;
  return std::get<Recorder>(recorder).run(policy.run.command, wanted, options.keep);
}

}  // namespace

CheckedRun checked(const NamedRun& run, bool among_others) { return {among_others ? run.name : "", &run.summary}; }

std::vector<CheckedRun> checked(const std::vector<NamedRun>& runs) {
  std::vector<CheckedRun> all;
  for (const NamedRun& run : runs) all.push_back(checked(run, runs.size() > 1));
  return all;
}

Date today() { return Date(std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now())); }

Outcome run_check(const CheckOptions& options) {
  if (options.schema) return {ExitCode::ok, check_schema(), {}};
  auto policy = load_policy(options);
  if (!policy) return fail(ExitCode::bad_use, policy.error().message);
  auto outputs = Outputs::open(options.outputs);
  if (!outputs) return fail(ExitCode::bad_use, outputs.error().message);
  if (is_two_sided(options)) return check_sides(options, *policy, *outputs);

  std::optional<Baseline> baseline;
  if (!policy->baseline.empty()) {
    auto loaded = load_baseline(policy->baseline);
    if (!loaded) return fail(ExitCode::bad_use, loaded.error().message);
    baseline = std::move(*loaded);
  }
  auto run = options.traces.empty() ? record(options, *policy) : read_traces(options.traces, *policy);
  if (auto* failed = std::get_if<Outcome>(&run)) return std::move(*failed);
  const auto& recorded = std::get<RecordedRun>(run);
  auto problems = recorded.problems;
  if (recorded.processes.empty() && !recorded.why_empty.empty()) problems.push_back(recorded.why_empty);
  CheckReport report =
      check(*policy, checked(recorded.processes), baseline ? &*baseline : nullptr, today(), {}, problems);
  report.baseline = policy->baseline;
  report.command = command_line(options, *policy);
  return conclude_check(report, *outputs);
}

}  // namespace zerostall::cli
