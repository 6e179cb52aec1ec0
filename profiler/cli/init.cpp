#include "profiler/cli/init.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "profiler/base/files.h"
#include "profiler/base/printable.h"
#include "profiler/base/strings.h"
#include "profiler/cli/processes.h"
#include "profiler/cli/recorded_run.h"
#include "profiler/gate/policy_file.h"
#include "profiler/gate/propose.h"
#include "reports/words.h"

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;

// What was seen, and how it ran.
struct SeenRun {
  std::vector<NamedRun> processes;
  std::string why_empty;
  std::vector<std::string> problems;
  ProposalSource source;
};

bool to_standard_output(const InitOptions& options) { return options.output == "-"; }

// Found out before anything runs.
std::optional<Outcome> refuse_output(const InitOptions& options) {
  if (to_standard_output(options)) return std::nullopt;
  const fs::path path = options.output;
  std::error_code error;
  if (fs::exists(fs::symlink_status(path, error)) && !options.force)
    return fail(ExitCode::bad_use,
                fmt::format("{} is there already: --force overwrites it, -o FILE writes another, -o - "
                            "shows the proposal",
                            options.output));
  for (const std::string& trace : options.files)
    if (fs::equivalent(path, trace, error))
      return fail(ExitCode::bad_use, fmt::format("-o: {} is a trace to read", options.output));
  if (!path.has_filename())
    return fail(ExitCode::bad_use, fmt::format("-o: {} names a folder, not a file", options.output));
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (const auto writable = make_writable_folder(folder); !writable)
    return fail(ExitCode::bad_use, "-o: " + writable.error().message);
  if (const auto free = check_replaceable(path); !free) return fail(ExitCode::bad_use, "-o: " + free.error().message);
  return std::nullopt;
}

// As the policy names it: from the folder it lies in.
std::string from_policy(const std::string& file, const InitOptions& options) {
  if (file.empty() || to_standard_output(options) || fs::path(file).is_absolute()) return file;
  std::error_code error;
  const fs::path folder = fs::absolute(options.output, error).parent_path();
  const fs::path relative = fs::relative(fs::absolute(file, error), folder, error);
  return error || relative.empty() ? file : relative.string();
}

StepOptions steps_of(const InitOptions& options) {
  const auto given = step_options(options.step_pattern);
  return given ? *given : StepOptions{};
}

std::variant<SeenRun, Outcome> run_command(const InitOptions& options) {
  auto made = Recorder::make({options.device, options.gpus, options.sim_values, options.seed});
  if (auto* failed = std::get_if<Outcome>(&made)) return std::move(*failed);
  auto& recorder = std::get<Recorder>(made);
  auto ran = recorder.run(options.command, {options.warmup, steps_of(options), true});
  if (auto* failed = std::get_if<Outcome>(&ran)) return std::move(*failed);
  auto& recorded = std::get<RecordedRun>(ran);
  SeenRun seen{std::move(recorded.processes), std::move(recorded.why_empty), std::move(recorded.problems), {}};
  seen.source.run.command = options.command;
  seen.source.run.device = recorder.device().name;
  if (recorder.device().simulate) {
    seen.source.run.gpus = options.gpus;
    seen.source.run.sim_values = from_policy(options.sim_values, options);
    seen.source.run.seed = options.seed;
  }
  return seen;
}

std::variant<SeenRun, Outcome> read_file(const InitOptions& options) {
  const std::string& path = options.files.front();
  auto read = read_processes({path}, {}, {"", options.warmup}, steps_of(options));
  if (!read) return fail(ExitCode::bad_use, read.error().message);
  SeenRun seen;
  seen.processes = std::move(read->runs);
  if (!read->unreadable.empty()) seen.problems.push_back(why_not_all(read->unreadable, seen.processes.size(), path));
  std::erase_if(seen.processes, [&](const NamedRun& run) {
    if (!run.summary.has_cuda_calls) seen.why_empty = why_no_calls(run.summary);
    return !run.summary.has_cuda_calls;
  });
  return seen;
}

std::string judged_words(const std::vector<NamedRun>& runs) {
  std::int64_t judged = runs.front().summary.judged();
  for (const NamedRun& run : runs) judged = std::min(judged, run.summary.judged());
  std::string words = counted(judged, "judged step");
  if (runs.size() > 1) words += fmt::format(" of each of {} processes", runs.size());
  return words;
}

// What to know and to do next.
std::string summary_line(const InitOptions& options, const SeenRun& seen, const Policy& policy) {
  const std::string next = options.files.empty() ? "zerostall check" : "zerostall check " + options.files.front();
  const bool is_default = options.output == kDefaultPolicy;
  return fmt::format("{}: {} from {}\nread it, then: {}{}\n", options.output,
                     counted(static_cast<std::int64_t>(policy.budgets.size()), "budget"), judged_words(seen.processes),
                     next, is_default ? "" : " --policy " + options.output);
}

Outcome propose(const InitOptions& options, SeenRun seen) {
  if (seen.processes.empty()) return fail(ExitCode::cannot_tell, seen.why_empty);
  std::vector<CheckedRun> runs;
  for (const NamedRun& run : seen.processes) runs.push_back({seen.processes.size() > 1 ? run.name : "", &run.summary});
  seen.source.run.warmup = options.warmup;
  seen.source.run.step_pattern = options.step_pattern;
  seen.source.device = show_device(seen.processes.front().summary.meta);
  const std::string text = propose_policy(runs, seen.source);
  const auto policy = parse_policy(text, options.output);
  if (!policy)
    return fail(ExitCode::environment, "internal problem: the proposal cannot be read: " + policy.error().message);

  Outcome outcome;
  if (to_standard_output(options))
    outcome.out = text;
  else if (const auto written = write_file(options.output, text); !written)
    return fail(ExitCode::bad_use, written.error().message);
  else
    outcome.out = summary_line(options, seen, *policy);
  if (policy->budgets.empty()) {
    outcome.code = ExitCode::cannot_tell;
    outcome.error = "no step to judge, so nothing is limited yet: mark the steps, torch.cuda.nvtx.mark(f\"step {i}\")";
  } else if (!seen.problems.empty()) {
    outcome.code = ExitCode::cannot_tell;
    outcome.error = "not all was recorded, counts may be too low: " + join(seen.problems, "; ");
  }
  return outcome;
}

}  // namespace

Outcome run_init(const InitOptions& options) {
  if (const auto steps = step_options(options.step_pattern); !steps)
    return fail(ExitCode::bad_use, steps.error().message);
  if (auto refused = refuse_output(options)) return std::move(*refused);
  auto seen = options.command.empty() ? read_file(options) : run_command(options);
  if (auto* failed = std::get_if<Outcome>(&seen)) return std::move(*failed);
  return propose(options, std::move(std::get<SeenRun>(seen)));
}

}  // namespace zerostall::cli
