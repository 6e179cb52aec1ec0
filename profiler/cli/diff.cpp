#include "profiler/cli/diff.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "profiler/cli/processes.h"
#include "profiler/cli/say.h"
#include "reports/diff_json.h"
#include "reports/diff_text.h"

namespace zerostall::cli {
namespace {

// What kept a trace from being compared.
struct Refusal {
  ExitCode code = ExitCode::bad_use;
  std::string message;
};

struct ReadRun {
  RunSummary run;
  std::string name;        // of its process, beside others; "" = there is but one
  std::string unreadable;  // one of its files that could not be read, and why
};

// The process of the rank that was asked for; else of `like`'s rank, where the recording has it; else the one that
// waits most.
Result<std::size_t> choose(const std::vector<NamedRun>& runs, const DiffOptions& options,
                           const std::optional<std::int64_t>& like) {
  if (options.rank || !like || runs.size() == 1) return choose_process(runs, options.rank);
  const auto same = choose_process(runs, like);
  return same ? same : choose_process(runs, std::nullopt);
}

std::variant<ReadRun, Refusal> read_run(const std::string& path, const DiffOptions& options, const StepOptions& steps,
                                        const std::optional<std::int64_t>& like) {
  auto all =
      read_processes({path}, {.most_expanded = static_cast<Bytes>(options.most_expanded)}, {"", options.warmup}, steps);
  if (!all) return Refusal{ExitCode::bad_use, all.error().message};
  auto& [runs, unreadable] = *all;
  const auto chosen = choose(runs, options, like);
  if (!chosen) return Refusal{ExitCode::cannot_tell, fmt::format("{}: {}", path, chosen.error().message)};
  RunSummary& run = runs[*chosen].summary;
  if (!run.has_cuda_calls) return Refusal{ExitCode::cannot_tell, why_no_calls(run)};
  if (const auto why = why_no_match(steps, run.steps_from, run.path)) return Refusal{ExitCode::cannot_tell, *why};
  ReadRun read{std::move(run), runs.size() > 1 ? runs[*chosen].name : "", ""};
  if (!unreadable.empty())
    read.unreadable = fmt::format("{} in {}: {}", unreadable.front().name, path, unreadable.front().why);
  return read;
}

struct Sides {
  std::vector<RunSummary> a, b;
  std::string unreadable;  // "" = all files were read
};

std::optional<Refusal> read_side(const std::vector<std::string>& paths, const DiffOptions& options,
                                 const StepOptions& steps, std::vector<RunSummary>& side, Sides& all) {
  for (const std::string& path : paths) {
    const auto like = all.a.empty() ? std::nullopt : rank_of(all.a.front().meta);
    auto read = read_run(path, options, steps, like);
    if (auto* refusal = std::get_if<Refusal>(&read)) return std::move(*refusal);
    auto& [run, name, unreadable] = std::get<ReadRun>(read);
    if (!name.empty()) say(fmt::format("{}: comparing {} (--rank N for another)", path, name));
    if (all.unreadable.empty()) all.unreadable = unreadable;
    side.push_back(std::move(run));
  }
  return std::nullopt;
}

}  // namespace

Outcome run_diff(const DiffOptions& options) {
  const auto steps = step_options(options.step_pattern);
  if (!steps) return fail(ExitCode::bad_use, steps.error().message);
  Sides sides;
  for (const auto& [paths, side] : {std::pair(&options.a, &sides.a), std::pair(&options.b, &sides.b)})
    if (const auto refusal = read_side(*paths, options, *steps, *side, sides))
      return fail(refusal->code, refusal->message);
  const Comparison comparison = compare_runs(sides.a, sides.b);
  Outcome outcome;
  outcome.out =
      options.json ? render_diff_json(sides.a, sides.b, comparison) : render_diff_text(sides.a, sides.b, comparison);
  if (!sides.unreadable.empty()) {
    outcome.code = ExitCode::cannot_tell;
    outcome.error = "not every trace can be read: " + sides.unreadable;
  }
  return outcome;
}

}  // namespace zerostall::cli
