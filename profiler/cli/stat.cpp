#include "profiler/cli/stat.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "profiler/analyze/region.h"
#include "profiler/base/printable.h"
#include "profiler/base/strings.h"
#include "profiler/cli/frame_names.h"
#include "profiler/cli/piped_trace.h"
#include "profiler/cli/processes.h"
#include "profiler/cli/say.h"
#include "profiler/cli/stat_fleet.h"
#include "profiler/cli/terminal.h"
#include "reports/processes_text.h"
#include "reports/stacks_text.h"
#include "reports/stat_csv.h"
#include "reports/stat_json.h"
#include "reports/stat_text.h"

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;

// Of a recording of one process --rank says what it has to be.
Result<std::size_t> process_to_show(const std::vector<NamedRun>& runs, const std::optional<std::int64_t>& rank) {
  auto chosen = choose_process(runs, rank);
  if (chosen || runs.size() != 1) return chosen;
  const RunSummary& run = runs.front().summary;
  const auto own = rank_of(run.meta);
  if (own) return Error{fmt::format("{} is of rank {}, not of rank {}", run.path, *own, *rank)};
  return Error{fmt::format("{} does not tell of which rank it is: leave --rank out", run.path)};
}

std::string why_no_region(const RunSummary& run, const std::string& region) {
  if (run.steps.empty()) return fmt::format("{} has no steps, and regions are parts of steps", run.path);
  if (run.possible_regions.empty())
    return fmt::format(
        "no region '{}' in {}, whose steps hold no ranges: with torch.cuda.nvtx.range(\"{}\"): ... makes one", region,
        run.path, region);
  return fmt::format("no region '{}' in the steps of {}; there are: {}", region, run.path,
                     printable(join(run.possible_regions, ", ")));
}

StatView view_of(const StatOptions& options) {
  StatView view;
  view.by = options.by;
  if (options.top) view.top = static_cast<std::size_t>(*options.top);
  view.verbose = options.verbose;
  // mpirun gives its processes a terminal of its own, whatever its output is.
  view.style = style_of_output(options.mpi && options.colour == Colour::when_terminal ? Colour::never : options.colour);
  return view;
}

// CSV has no place for what is left out, nor for whose figures they are.
std::string csv_of(const ReadProcesses& all, const NamedRun& process, const RunSummary& run, const StatView& view) {
  const std::size_t rows = rows_by(run, view.by.front()), shown = rows_shown(rows, view, rows);
  if (all.runs.size() > 1) say(fmt::format("{}, of {} processes", process.name, all.runs.size()));
  if (shown < rows) say(fmt::format("{} of {} rows: --top 0 prints all", shown, rows));
  return render_stat_csv(run, view);
}

std::string text_of(const std::string& path, const ReadProcesses& all, std::size_t shown, const RunSummary& run,
                    const StatOptions& options) {
  const StatView view = view_of(options);
  const bool several = all.runs.size() + all.unreadable.size() > 1;
  if (options.csv) return csv_of(all, all.runs[shown], run, view);
  const Ranks ranks = several ? compare_ranks(rank_runs(all.runs)) : Ranks{};
  if (options.json)
    return render_stat_json(run, several ? all.runs : std::vector<NamedRun>{}, all.unreadable, options.stacks, ranks);
  return (several ? render_processes(path, all.runs, shown, ranks, view.style) : "") + render_stat_text(run, view) +
         (options.stacks ? render_stacks_text(run.stacks) : "");
}

Outcome show(const std::string& path, ReadProcesses all, std::size_t shown, const StatOptions& options,
             const StepOptions& steps) {
  auto& runs = all.runs;
  if (options.stacks) name_frames(runs[shown].summary.stacks, {options.symbols.begin(), options.symbols.end()});
  const RunSummary& whole = runs[shown].summary;
  const auto region = options.region.empty() ? std::nullopt : in_region(whole, options.region);
  if (!options.region.empty() && whole.has_cuda_calls && !region)
    return fail(ExitCode::cannot_tell, why_no_region(whole, options.region));
  const RunSummary& run = region ? *region : whole;
  Outcome outcome;
  outcome.out = text_of(path, all, shown, run, options);
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

Outcome stat_of(const std::vector<fs::path>& paths, const std::string& name, const StatOptions& options,
                const StepOptions& steps) {
  return show_stat(read_processes(paths, stat_reader(options, steps, name)), paths, name, options, steps);
}

Outcome stat_of_standard_input(const StatOptions& options, const StepOptions& step_options) {
  const auto trace = PipedTrace::read();
  if (!trace) return fail(ExitCode::bad_use, trace.error().message);
  Outcome outcome = stat_of({trace->path()}, kStandardInput, options, step_options);
  outcome.error = trace->renamed(std::move(outcome.error));
  return outcome;
}

}  // namespace

ProcessReader stat_reader(const StatOptions& options, const StepOptions& steps, const std::string& name) {
  return {{.most_expanded = static_cast<Bytes>(options.most_expanded)},
          {name, options.warmup, options.corrected, options.own_cost},
          steps};
}

Outcome show_stat(Result<ReadProcesses> all, const std::vector<fs::path>& paths, const std::string& name,
                  const StatOptions& options, const StepOptions& steps) {
  if (!all) return fail(ExitCode::bad_use, all.error().message);
  const auto shown = process_to_show(all->runs, options.rank);
  if (!shown) return fail(ExitCode::cannot_tell, shown.error().message);
  const std::string first = paths.front().string();
  const std::string path = paths.size() == 1 ? first : fmt::format("{} and {} more", first, paths.size() - 1);
  return show(name.empty() ? path : name, std::move(*all), *shown, options, steps);
}

Outcome run_stat(const StatOptions& options) {
  auto steps = step_options(options.step_pattern);
  if (!steps) return fail(ExitCode::bad_use, steps.error().message);
  if (!options.region.empty()) steps->regions = {options.region};
  const bool piped = std::find(options.files.begin(), options.files.end(), "-") != options.files.end();
  if (piped && options.files.size() > 1)
    return fail(ExitCode::bad_use, "standard input (-) is one trace: name the others without it");
  if (options.mpi) return run_stat_fleet(options, *steps);
  if (piped) return stat_of_standard_input(options, *steps);

  if (!options.files.empty()) return stat_of({options.files.begin(), options.files.end()}, "", options, *steps);
  const auto newest = named_or_newest("", "showing");
  if (!newest) return fail(ExitCode::bad_use, newest.error().message);
  return stat_of({*newest}, "", options, *steps);
}

}  // namespace zerostall::cli
