#include "reports/record_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "profiler/base/printable.h"
#include "profiler/base/strings.h"
#include "reports/oddities.h"
#include "reports/words.h"

namespace zerostall {
namespace {

constexpr std::size_t kMostGroups = 5;
constexpr std::size_t kMostProcesses = 8;

std::string steps_words(const RunSummary& run) {
  if (run.steps.empty()) return run.oddities.contains("unclosed_steps") ? "no step that ended" : "no steps marked";
  std::string steps = counted(static_cast<std::int64_t>(run.steps.size()), "step");
  if (run.steps_confidence) steps += fmt::format(" (inferred, {} confidence)", name_of(*run.steps_confidence));
  if (run.warmup == 0) return steps;
  return run.judged() > 0 ? fmt::format("{}, first {} not judged", steps, run.warmup)
                          : fmt::format("{}, all of them warm-up", steps);
}

std::string waits_words(const RunSummary& run) {
  if (run.judged() == 0) return fmt::format("{} in all", counted(run.totals[Counter::waits].value_or(0), "wait"));
  const std::string waits = show_range(run.per_step[Counter::waits]);
  return fmt::format("{} {} per step", waits, waits == "1" ? "wait" : "waits");
}

std::string one_line(const RunSummary& run) {
  std::string line = fmt::format("{} · {}", steps_words(run), waits_words(run));
  if (run.truncated)
    line += " · the trace ends early: " +
            (run.end.reason.empty() ? "the process was killed, left by _exit or still runs, or the disk is full"
                                    : run.end.reason);
  return line;
}

void add_processes(const std::vector<NamedRun>& runs, std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < std::min(runs.size(), kMostProcesses); ++i) {
    const std::string command = show_command(runs[i].summary.meta);
    lines.push_back(fmt::format("  {}{}: {}", runs[i].name, command.empty() ? "" : fmt::format(" ({})", command),
                                one_line(runs[i].summary)));
  }
  if (runs.size() > kMostProcesses) lines.push_back(fmt::format("  and {} more", runs.size() - kMostProcesses));
}

// What waits: by judged step where there are steps, else in the whole run.
void add_waits(const RunSummary& run, std::vector<std::string>& lines) {
  const bool by_step = run.judged() > 0;
  auto groups = group_waits(run);
  if (by_step) std::erase_if(groups, [](const WaitGroup& group) { return group.judged == 0; });
  for (std::size_t i = 0; i < std::min(groups.size(), kMostGroups); ++i)
    lines.push_back(printable(by_step
                                  ? fmt::format("  {:>4} per step  {}", show_range(groups[i].per_step), groups[i].what)
                                  : fmt::format("  {:>6} ×  {}", groups[i].count, groups[i].what)));
  if (groups.size() > kMostGroups)
    lines.push_back("  and " + counted(static_cast<std::int64_t>(groups.size() - kMostGroups), "other kind"));
  if (const auto outside = run.outside[Counter::waits].value_or(0); by_step && outside > 0)
    lines.push_back(fmt::format("  {} outside the steps, in the whole run", counted(outside, "wait")));
}

// What the figures do not show.
void add_notes(const RunSummary& run, std::vector<std::string>& lines) {
  for (const std::string& warning : run.warnings) lines.push_back(printable(warning));
  if (const auto missing = run.oddities.find("launches_without_record"); missing != run.oddities.end())
    lines.push_back(oddity_sentence(missing->first, missing->second));
  else if (run.lost > 0)
    lines.push_back(fmt::format("GPU records incomplete: {} lost", counted(run.lost, "record")));
  if (const auto open = run.oddities.find("unclosed_steps"); open != run.oddities.end())
    lines.push_back(oddity_sentence(open->first, open->second));
  if (run.steps.empty() && !run.oddities.contains("unclosed_steps"))
    lines.push_back("to count waits per step, " + how_to_mark_steps(run.meta));
  if (run.steps_confidence)
    lines.push_back("steps are inferred, not marked; to be certain, " + how_to_mark_steps(run.meta));
  if (run.unreal_readbacks.total > 0)
    lines.push_back(fmt::format("{} had no real value: a branch on one may go another way than on a GPU (--sim-values)",
                                counted(run.unreal_readbacks.total, "read-back")));
  if (run.times_repeatable == false) lines.push_back(not_repeatable_sentence(run.meta));
}

}  // namespace

std::vector<std::string> record_lines(const std::string& trace, const std::vector<NamedRun>& runs, std::size_t worst) {
  const RunSummary& run = runs[worst].summary;
  const std::string device = show_device(run.meta);
  std::vector<std::string> lines;
  if (runs.size() == 1) {
    lines.push_back(printable(fmt::format("{} · {} · {}", trace, device, one_line(run))));
  } else {
    lines.push_back(printable(fmt::format("{} · {} · {} processes", trace, device, runs.size())));
    add_processes(runs, lines);
    lines.push_back(fmt::format("{} waits most:", runs[worst].name));
  }
  add_waits(run, lines);
  add_notes(run, lines);
  lines.push_back("next: zerostall stat " + printable(trace));
  return lines;
}

}  // namespace zerostall
