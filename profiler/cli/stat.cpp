#include "profiler/cli/stat.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "profiler/cli/frame_names.h"
#include "profiler/cli/processes.h"
#include "profiler/cli/source_texts.h"
#include "reports/stacks_text.h"
#include "reports/stat_json.h"
#include "reports/stat_text.h"

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;

// What a recording holds; of a folder some files may be unreadable, and at least one is not.
struct Recording {
  std::vector<NamedRun> runs;
  std::vector<UnreadableTrace> unreadable;
};

Result<Recording> read_all(const fs::path& path, const StatOptions& options, const StepOptions& steps) {
  Recording all;
  const auto analyze_one = [&](std::string name, const fs::path& file, RawTrace raw) {
    const SummaryOptions wanted{file.string(), options.warmup, options.corrected, options.own_cost,
                                read_sources(raw, file)};
    all.runs.push_back({std::move(name), analyze(std::move(raw), wanted, steps)});
  };
  auto unreadable = for_each_process(path, {.most_expanded = static_cast<Bytes>(options.most_expanded)}, analyze_one);
  if (!unreadable) return unreadable.error();
  all.unreadable = std::move(*unreadable);
  return all;
}

Outcome show(const std::string& path, Recording all, std::size_t shown, const StatOptions& options) {
  auto& runs = all.runs;
  if (options.stacks) name_frames(runs[shown].summary.stacks, {options.symbols.begin(), options.symbols.end()});
  const RunSummary& run = runs[shown].summary;
  const bool several = runs.size() + all.unreadable.size() > 1;
  Outcome outcome;
  outcome.out = options.json
                    ? render_stat_json(run, several ? runs : std::vector<NamedRun>{}, all.unreadable, options.stacks)
                    : (several ? render_processes(path, runs, shown) : "") + render_stat_text(run, options.verbose) +
                          (options.stacks ? render_stacks_text(run.stacks) : "");
  if (options.corrected && !run.corrected) {
    outcome.code = ExitCode::cannot_tell;
    outcome.error = run.meta.clock == Clock::modelled
                        ? "--corrected: times are modelled here, and never held what the tracer took"
                        : fmt::format("--corrected: {} does not tell what the tracer took", run.path);
  } else if (!run.has_cuda_calls) {
    outcome.code = ExitCode::cannot_tell;
    outcome.error = why_no_calls(run);
  } else if ((run.steps.empty() || is_inferred(run.steps_from)) && !options.step_pattern.empty()) {
    outcome.code = ExitCode::cannot_tell;
    outcome.error = fmt::format("no NVTX range or mark in {} matches '{}'", run.path, options.step_pattern);
  } else if (!all.unreadable.empty()) {
    outcome.code = ExitCode::cannot_tell;
    outcome.error = why_not_all(all.unreadable, runs.size(), path);
  }
  return outcome;
}

}  // namespace

Outcome run_stat(const StatOptions& options) {
  StepOptions step_options;
  if (!options.step_pattern.empty()) step_options.pattern = options.step_pattern;
  if (!is_valid_pattern(step_options.pattern))
    return fail(ExitCode::bad_use, fmt::format("'{}' is not a regular expression", options.step_pattern));

  const auto path = named_or_newest(options.file, "showing");
  if (!path) return fail(ExitCode::bad_use, path.error().message);
  auto all = read_all(*path, options, step_options);
  if (!all) return fail(ExitCode::bad_use, all.error().message);
  const auto shown = choose_process(all->runs, options.rank);
  if (!shown) return fail(ExitCode::cannot_tell, shown.error().message);
  return show(*path, std::move(*all), *shown, options);
}

}  // namespace zerostall::cli
