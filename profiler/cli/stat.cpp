#include "profiler/cli/stat.h"

#include <fmt/format.h>

#include "profiler/analyze/summary.h"
#include "profiler/cli/processes.h"
#include "profiler/cli/say.h"
#include "profiler/trace/read_native.h"
#include "reports/stat_json.h"
#include "reports/stat_text.h"

namespace zerostall::cli {

namespace {

// Only a whole trace of a tracer without problems can say that the GPU was not used.
std::string why_no_calls(const RunSummary& run) {
  if (run.truncated)
    return fmt::format(
        "{} is {} and no CUDA call is readable before that: cannot tell whether the program used the GPU", run.path,
        describe(run.end));
  if (!run.tool_problems.empty())
    return fmt::format("{} holds no CUDA call, and the tracer had a problem: {}", run.path, run.tool_problems.front());
  return fmt::format("{} holds no CUDA call: the program never used the GPU while it was recorded", run.path);
}

}  // namespace

Outcome run_stat(const StatOptions& options) {
  StepOptions step_options;
  if (!options.step_pattern.empty()) step_options.pattern = options.step_pattern;
  if (!is_valid_pattern(step_options.pattern))
    return fail(ExitCode::bad_use, fmt::format("'{}' is not a regular expression", options.step_pattern));

  std::string file = options.file;
  if (file.empty()) {
    const auto newest = newest_trace(".");
    if (!newest) return fail(ExitCode::bad_use, newest.error().message);
    file = newest->string();
    say("showing " + file);
  }
  auto raw = read_native(file);
  if (!raw) return fail(ExitCode::bad_use, raw.error().message);
  const RunSummary run = analyze(std::move(*raw), {file, options.warmup}, step_options);

  Outcome outcome;
  outcome.out = options.json ? render_stat_json(run) : render_stat_text(run);
  if (!run.has_cuda_calls) {
    outcome.code = ExitCode::cannot_tell;
    outcome.error = why_no_calls(run);
  } else if (run.steps.empty() && !options.step_pattern.empty()) {
    outcome.code = ExitCode::cannot_tell;
    outcome.error = fmt::format("no NVTX range in {} matches '{}'", file, options.step_pattern);
  }
  return outcome;
}

}  // namespace zerostall::cli
