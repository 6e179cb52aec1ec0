#include "profiler/cli/report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "profiler/analyze/compare.h"
#include "profiler/cli/export_target.h"
#include "profiler/cli/frame_names.h"
#include "profiler/cli/processes.h"
#include "profiler/cli/report_page.h"
#include "profiler/cli/say.h"
#include "profiler/cli/source_texts.h"

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;

// The processes of one side. Of all but the one that is shown in full the trace is not kept.
struct Side {
  std::string path;
  std::vector<NamedRun> processes;
  std::optional<Analyzed> whole;  // of `chosen`
  std::size_t chosen = 0;
  std::vector<UnreadableTrace> unreadable;
};

// Takes processes as they are read; keeps the whole of the one to show: of the rank that was asked for, else of
// `like`'s, else the one that waits most.
void take(Side& side, std::string name, Analyzed analyzed, const std::optional<std::int64_t>& wanted) {
  side.processes.push_back({std::move(name), analyzed.run});
  const std::size_t here = side.processes.size() - 1;
  const bool is_wanted = wanted && rank_of(analyzed.run.meta) == wanted;
  const bool has_wanted = wanted && side.whole && rank_of(side.whole->run.meta) == wanted;
  if (has_wanted || (!is_wanted && worst_process(side.processes) != here)) return;
  side.chosen = here;
  side.whole = std::move(analyzed);
}

std::variant<Side, Outcome> read_side(const std::string& path, const ReportArguments& options, const StepOptions& steps,
                                      const std::optional<std::int64_t>& like) {
  Side side;
  side.path = path;
  NamesForCauses names;
  auto unreadable = for_each_process(
      {path}, {.most_expanded = static_cast<Bytes>(options.most_expanded)},
      [&](std::string name, const fs::path& file, RawTrace raw) {
        SummaryOptions wanted{file.string(), options.warmup, false, false, read_sources(raw, file), names.of(raw)};
        take(side, std::move(name), analyze_keeping(std::move(raw), wanted, steps), options.rank ? options.rank : like);
      });
  if (!unreadable) return fail(ExitCode::bad_use, unreadable.error().message);
  side.unreadable = std::move(*unreadable);
  if (const auto chosen = choose_process(side.processes, options.rank); !chosen)
    return fail(ExitCode::cannot_tell, fmt::format("{}: {}", path, chosen.error().message));
  const RunSummary& run = side.whole->run;
  if (!run.has_cuda_calls) return fail(ExitCode::cannot_tell, why_no_calls(run));
  if (const auto why = why_no_match(steps, run.steps_from, run.path)) return fail(ExitCode::cannot_tell, *why);
  return side;
}

// The one that is shown in full first.
std::vector<ReportRun> runs_of(const Side& side) {
  const bool several = side.processes.size() > 1;
  std::vector<ReportRun> runs;
  for (const NamedRun& process : side.processes) runs.push_back({several ? process.name : "", &process.summary});
  std::rotate(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(side.chosen),
              runs.begin() + static_cast<std::ptrdiff_t>(side.chosen) + 1);
  return runs;
}

std::string command_of(const ReportArguments& options) {
  std::string text = "zerostall report";
  for (const std::string& file : {options.a, options.b})
    if (!file.empty()) text += " " + shell_word(fs::path(file).lexically_normal().filename().string());
  if (options.rank) text += fmt::format(" --rank {}", *options.rank);
  if (options.warmup != ReportArguments{}.warmup) text += fmt::format(" --warmup {}", options.warmup);
  if (!options.step_pattern.empty()) text += " --step-pattern " + shell_word(options.step_pattern);
  return text + " -o report.html";
}

std::string page_of(const std::optional<Side>& before, const Side& after, const ReportArguments& options) {
  ReportInput input;
  std::optional<Comparison> comparison;
  std::vector<ShownProcess> shown;
  if (before) {
    input.before = runs_of(*before);
    comparison = compare_runs(std::span(&before->whole->run, 1), std::span(&after.whole->run, 1), kBeforeAndAfter);
    input.comparison = &*comparison;
    shown.push_back({&*before->whole, 0});
  }
  input.after = runs_of(after);
  shown.push_back({&*after.whole, 1});
  input.command = command_of(options);
  return page_with_timelines(std::move(input), shown, options.max_bytes);
}

Outcome write(const std::string& page, ExportTarget& target) {
  target.write(page);
  Outcome outcome = target.finish();
  if (outcome.code == ExitCode::ok && target.is_file())
    say(fmt::format("wrote {}: {} kB; open it in a browser", target.path().string(), (page.size() + 999) / 1000));
  return outcome;
}

// Every file that is read, so that none is replaced.
Result<std::vector<fs::path>> inputs_of(const ReportArguments& options) {
  std::vector<fs::path> all;
  for (const std::string& path : {options.a, options.b}) {
    if (path.empty()) continue;
    auto files = trace_files(path);
    if (!files) return files.error();
    all.insert(all.end(), files->begin(), files->end());
  }
  return all;
}

}  // namespace

Outcome run_report(const ReportArguments& given) {
  ReportArguments options = given;
  const auto steps = step_options(options.step_pattern);
  if (!steps) return fail(ExitCode::bad_use, steps.error().message);
  const auto named = named_or_newest(options.a, "reporting on");
  if (!named) return fail(ExitCode::bad_use, named.error().message);
  options.a = *named;
  const auto inputs = inputs_of(options);
  if (!inputs) return fail(ExitCode::bad_use, inputs.error().message);
  auto target = ExportTarget::make(options.output, *inputs);
  if (!target) return fail(ExitCode::bad_use, target.error().message);
  if (!target->is_file() && ::isatty(STDOUT_FILENO) != 0)
    return fail(ExitCode::bad_use, "a page is not for a terminal: name a file with -o report.html");

  auto first = read_side(options.a, options, *steps, std::nullopt);
  if (auto* failed = std::get_if<Outcome>(&first)) return std::move(*failed);
  std::optional<Side> before;
  Side after = std::move(std::get<Side>(first));
  if (!options.b.empty()) {
    auto second = read_side(options.b, options, *steps, rank_of(after.whole->run.meta));
    if (auto* failed = std::get_if<Outcome>(&second)) return std::move(*failed);
    before = std::exchange(after, std::move(std::get<Side>(second)));
  }
  Outcome outcome = write(page_of(before, after, options), *target);
  if (outcome.code != ExitCode::ok) return outcome;
  for (const Side* side : {before ? &*before : &after, &after})
    if (outcome.error.empty() && !side->unreadable.empty()) {
      outcome.code = ExitCode::cannot_tell;
      outcome.error = why_not_all(side->unreadable, side->processes.size(), side->path);
    }
  return outcome;
}

}  // namespace zerostall::cli
