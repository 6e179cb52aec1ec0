#include "reports/record_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "profiler/base/strings.h"
#include "reports/printable.h"
#include "reports/words.h"

namespace zerostall {
namespace {

constexpr std::size_t kMostGroups = 3;
constexpr std::size_t kMostProcesses = 8;

std::string steps_words(const RunSummary& run) {
  if (run.steps.empty()) return "no steps marked";
  const std::string steps = counted(static_cast<std::int64_t>(run.steps.size()), "step");
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
  if (run.truncated) line += " · the trace ends early: the process was killed or left without ceremony";
  return line;
}

void add_processes(const std::vector<NamedRun>& runs, std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < std::min(runs.size(), kMostProcesses); ++i)
    lines.push_back(fmt::format("  {}: {}", runs[i].name, one_line(runs[i].summary)));
  if (runs.size() > kMostProcesses) lines.push_back(fmt::format("  and {} more", runs.size() - kMostProcesses));
}

// What waits: by judged step where there are steps, else the calls of the whole run.
void add_waits(const RunSummary& run, std::vector<std::string>& lines) {
  const auto groups = group_waits(run);
  for (std::size_t i = 0; i < std::min(groups.size(), kMostGroups); ++i)
    lines.push_back(printable(fmt::format("  {:>4} per step  {}", show_range(groups[i].per_step), groups[i].what)));
  if (groups.size() > kMostGroups)
    lines.push_back("  and " + counted(static_cast<std::int64_t>(groups.size() - kMostGroups), "other kind"));
  if (run.judged() > 0) return;
  for (const auto& [counter, words] :
       {std::pair(Counter::stream_syncs, "stream syncs"), std::pair(Counter::device_syncs, "device syncs"),
        std::pair(Counter::event_syncs, "event syncs"), std::pair(Counter::blocking_copies, "blocking copies")})
    if (run.totals[counter].value_or(0) > 0) lines.push_back(fmt::format("  {} {}", show(run.totals[counter]), words));
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
  if (run.steps.empty()) lines.push_back("to count waits per step, " + how_to_mark_steps());
  if (run.times_repeatable == false) lines.push_back(not_repeatable_sentence(run.meta));
  lines.push_back("next: zerostall stat " + printable(trace));
  return lines;
}

}  // namespace zerostall
