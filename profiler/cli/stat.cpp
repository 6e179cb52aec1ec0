#include "profiler/cli/stat.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "profiler/cli/frame_names.h"
#include "profiler/cli/processes.h"
#include "profiler/cli/source_texts.h"
#include "reports/processes_text.h"
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

Result<Recording> read_all(const std::vector<fs::path>& paths, const StatOptions& options, const StepOptions& steps) {
  Recording all;
  const auto analyze_one = [&](std::string name, const fs::path& file, RawTrace raw) {
    const SummaryOptions wanted{file.string(), options.warmup, options.corrected, options.own_cost,
                                read_sources(raw, file)};
    all.runs.push_back({std::move(name), analyze(std::move(raw), wanted, steps)});
  };
  auto unreadable = for_each_process(paths, {.most_expanded = static_cast<Bytes>(options.most_expanded)}, analyze_one);
  if (!unreadable) return unreadable.error();
  all.unreadable = std::move(*unreadable);
  return all;
}

Outcome show(const std::string& path, Recording all, std::size_t shown, const StatOptions& options,
             const StepOptions& steps) {
  auto& runs = all.runs;
  if (options.stacks) name_frames(runs[shown].summary.stacks, {options.symbols.begin(), options.symbols.end()});
  const RunSummary& run = runs[shown].summary;
  const bool several = runs.size() + all.unreadable.size() > 1;
  const Ranks ranks = several ? compare_ranks(rank_runs(runs)) : Ranks{};
  Outcome outcome;
  outcome.out =
      options.json
          ? render_stat_json(run, several ? runs : std::vector<NamedRun>{}, all.unreadable, options.stacks, ranks)
          : (several ? render_processes(path, runs, shown, ranks) : "") + render_stat_text(run, options.verbose) +
                (options.stacks ? render_stacks_text(run.stacks) : "");
  if (options.corrected && !run.corrected) {
    outcome.code = ExitCode::cannot_tell;
    outcome.error = run.meta.clock == Clock::modelled
                        ? "--corrected: times are modelled here, and never held what the tracer took"
                        : fmt::format("--corrected: {} does not tell what the tracer took", run.path);
  } else if (!run.has_cuda_calls) {
    outcome.code = ExitCode::cannot_tell;
    outcome.error = why_no_calls(run);
  } else if (const auto why = why_no_match(steps, run.steps_from, run.path)) {
    outcome.code = ExitCode::cannot_tell;
    outcome.error = *why;
  } else if (!all.unreadable.empty()) {
    outcome.code = ExitCode::cannot_tell;
    outcome.error = why_not_all(all.unreadable, runs.size(), path);
  }
  return outcome;
}

}  // namespace

Outcome run_stat(const StatOptions& options) {
  const auto steps = step_options(options.step_pattern);
  if (!steps) return fail(ExitCode::bad_use, steps.error().message);
  const auto first = named_or_newest(options.files.empty() ? "" : options.files.front(), "showing");
  if (!first) return fail(ExitCode::bad_use, first.error().message);
  std::vector<fs::path> paths(options.files.begin(), options.files.end());
  if (paths.empty()) paths.emplace_back(*first);
  const std::string path = paths.size() == 1 ? *first : fmt::format("{} and {} more", *first, paths.size() - 1);
  auto all = read_all(paths, options, *steps);
  if (!all) return fail(ExitCode::bad_use, all.error().message);
  const auto shown = choose_process(all->runs, options.rank);
  if (!shown) return fail(ExitCode::cannot_tell, shown.error().message);
  return show(path, std::move(*all), *shown, options, *steps);
}

}  // namespace zerostall::cli
