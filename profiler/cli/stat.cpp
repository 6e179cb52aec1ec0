#include "profiler/cli/stat.h"

#include <fmt/format.h>

#include "profiler/analyze/summary.h"
#include "profiler/trace/read_native.h"
#include "reports/stat_json.h"
#include "reports/stat_text.h"

namespace zerostall::cli {

Outcome run_stat(const StatOptions& options) {
  StepOptions step_options;
  if (!options.step_pattern.empty()) step_options.pattern = options.step_pattern;
  if (!is_valid_pattern(step_options.pattern))
    return fail(ExitCode::bad_use, fmt::format("'{}' is not a regular expression", options.step_pattern));

  auto raw = read_native(options.file);
  if (!raw) return fail(ExitCode::bad_use, raw.error().message);
  const RunSummary run = analyze(std::move(*raw), {options.file, options.warmup}, step_options);

  Outcome outcome;
  outcome.out = options.json ? render_stat_json(run) : render_stat_text(run);
  if (!run.has_cuda_calls) {
    outcome.code = ExitCode::cannot_tell;
    outcome.error =
        fmt::format("{} holds no CUDA call: the program never used the GPU while it was recorded", options.file);
  } else if (run.steps.empty() && !options.step_pattern.empty()) {
    outcome.code = ExitCode::cannot_tell;
    outcome.error = fmt::format("no NVTX range in {} matches '{}'", options.file, options.step_pattern);
  }
  return outcome;
}

}  // namespace zerostall::cli
