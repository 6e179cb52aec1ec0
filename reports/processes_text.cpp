#include "reports/processes_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "profiler/base/printable.h"
#include "profiler/base/strings.h"
#include "reports/table.h"
#include "reports/words.h"

namespace zerostall {
namespace {

using Processes = std::vector<NamedRun>;

constexpr std::size_t kMostRows = 16, kMostSites = 5, kMostStragglers = 4, kMostNames = 4, kMostGroups = 4;

std::string steps_of(const RunSummary& run) {
  return run.truncated ? fmt::format("{}, cut", run.steps.size()) : fmt::format("{}", run.steps.size());
}

std::string command_of(const RunSummary& run) { return run.meta.program.empty() ? "unknown" : show_command(run.meta); }

bool is_one_command(const Processes& runs) {
  return std::all_of(runs.begin(), runs.end(),
                     [&](const NamedRun& run) { return command_of(run.summary) == command_of(runs.front().summary); });
}

std::string time_or_dash(const std::optional<Nanos>& time) { return time ? show_time(*time) : "-"; }

// Least, median and most over ranks.
std::string show_over_ranks(const std::optional<Spread>& spread, bool times) {
  if (!spread) return "unknown";
  const std::string range = times ? show_time_range(spread) : show_range(spread);
  if (spread->min == spread->max) return range;
  const std::string median = times ? show_time(spread->median) : show(spread->median);
  return fmt::format("{} (median {})", range, median);
}

// Position of the process with the most of something, the first of equals; nullopt where nobody has any.
template <class Value>
std::optional<std::size_t> most(const Ranks& ranks, const Value& value) {
  const auto first = ranks.rows.begin();
  const auto found = std::max_element(first, ranks.rows.end(),
                                      [&](const RankRow& a, const RankRow& b) { return value(a) < value(b); });
  if (found == ranks.rows.end() || !value(*found)) return std::nullopt;
  return static_cast<std::size_t>(found - first);
}

// Which processes have a row of their own: all, as far as they fit a screen; of more those that stand out, and the
// first.
std::set<std::size_t> chosen_rows(const Processes& runs, std::size_t shown, const Ranks& ranks) {
  std::vector<std::size_t> wanted = {shown, 0};
  if (const auto slowest = most(ranks, [](const RankRow& row) { return row.step_ns; })) wanted.push_back(*slowest);
  if (const auto blocked = most(ranks, [](const RankRow& row) { return row.blocked_ns; })) wanted.push_back(*blocked);
  for (const OwnTimes* times : {&ranks.gpu, &ranks.host})
    for (std::size_t i = 0; i < times->stragglers.size() && i < kMostStragglers; ++i)
      wanted.push_back(times->stragglers[i].process);
  for (std::size_t i = 0; i < ranks.sites.size() && i < kMostSites; ++i)
    if (ranks.sites[i].processes.size() <= 2)
      wanted.insert(wanted.end(), ranks.sites[i].processes.begin(), ranks.sites[i].processes.end());
  for (std::size_t i = 0, odd = 0; i < runs.size() && odd < kMostRows / 4; ++i)
    if (!ranks.rows[i].compared || !runs[i].summary.complete()) wanted.push_back(i), ++odd;
  if (runs.size() <= kMostRows + 1)
    for (std::size_t i = 0; i < runs.size(); ++i) wanted.push_back(i);
  std::set<std::size_t> chosen;
  for (std::size_t i = 0; i < wanted.size() && (chosen.size() < kMostRows || runs.size() <= kMostRows + 1); ++i)
    chosen.insert(wanted[i]);
  return chosen;
}

// "rank0, rank3 and 5 more".
std::string names_of(const Processes& runs, const std::vector<std::size_t>& processes) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < processes.size() && (i < kMostNames || processes.size() == kMostNames + 1); ++i)
    names.push_back(runs[processes[i]].name);
  const std::size_t more = processes.size() - names.size();
  return join(names, ", ") + (more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string group_line(const Processes& runs, const Ranks& ranks, const std::vector<std::size_t>& group, bool named) {
  std::vector<Count> waits, steps;
  for (const std::size_t i : group) waits.push_back(ranks.rows[i].waits), steps.push_back(ranks.rows[i].step_ns);
  return fmt::format("... and {} more{}: {} waits/step, step {}\n", group.size(),
                     named ? fmt::format(" ({})", printable(names_of(runs, group))) : "", show_range(spread_of(waits)),
                     show_time_range(spread_of(steps)));
}

// Those without a row: "... and 240 more: 2 waits/step, step 30.1..30.4 ms". Where they wait unequally often, a line
// for each number of waits, as long as that is a handful.
std::string rest_lines(const Processes& runs, const Ranks& ranks, const std::set<std::size_t>& chosen) {
  std::vector<std::size_t> rest;
  std::map<Count, std::vector<std::size_t>> by_waits;
  for (std::size_t i = 0; i < ranks.rows.size(); ++i)
    if (!chosen.contains(i)) rest.push_back(i), by_waits[ranks.rows[i].waits].push_back(i);
  if (rest.empty()) return "";
  if (by_waits.size() > kMostGroups) return group_line(runs, ranks, rest, false);
  std::string text;
  for (const auto& [waits, group] : by_waits) text += group_line(runs, ranks, group, by_waits.size() > 1);
  return text;
}

std::string processes_table(const Processes& runs, std::size_t shown, const Ranks& ranks, const TextStyle& style) {
  const std::string mark = ranks.modelled ? " (modelled)" : "";
  const bool commands = !is_one_command(runs);
  Table table{{"process", "steps", "waits/step", "stream syncs/step", "waits in all", "step" + mark, "blocked" + mark},
              {},
              commands ? 1u : 0u};
  if (commands) table.header.push_back("command");
  const auto chosen = chosen_rows(runs, shown, ranks);
  for (const std::size_t i : chosen) {
    const RunSummary& run = runs[i].summary;
    const bool judged = run.judged() > 0;
    table.rows.push_back({runs[i].name, steps_of(run), judged ? show_range(run.per_step[Counter::waits]) : "-",
                          judged ? show_range(run.per_step[Counter::stream_syncs]) : "-",
                          show(run.totals[Counter::waits]), time_or_dash(ranks.rows[i].step_ns),
                          judged ? show_time(ranks.rows[i].blocked_ns) : "-"});
    if (commands) table.rows.back().push_back(command_of(run));
  }
  table.least_first = 16;
  return render_table(table, style) + wrapped(rest_lines(runs, ranks, chosen), style);
}

std::string overall_line(const Ranks& ranks) {
  if (ranks.compared < 2) return "";
  const auto time = [](std::string_view what, const std::optional<Spread>& spread) {
    return spread ? fmt::format(" · {} {}", what, show_over_ranks(spread, true)) : "";
  };
  const std::string times = time("step", ranks.step_ns) + time("blocked", ranks.blocked_ns);
  return fmt::format("\nmedians of the {} processes: waits/step {}{}{}\n", ranks.compared,
                     show_over_ranks(ranks.waits, false), times, ranks.modelled && !times.empty() ? " (modelled)" : "");
}

std::vector<std::size_t> others_than(const Ranks& ranks, const std::vector<std::size_t>& processes) {
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < ranks.rows.size(); ++i)
    if (ranks.rows[i].compared && std::find(processes.begin(), processes.end(), i) == processes.end())
      others.push_back(i);
  return others;
}

// "only rank3: train.py:91 in log_metrics, 1 wait per step, scalar-read".
std::string site_line(const Processes& runs, const Ranks& ranks, const SiteOfSome& site) {
  const auto others = others_than(ranks, site.processes);
  const std::string who = others.size() < site.processes.size() ? "all but " + names_of(runs, others)
                                                                : "only " + names_of(runs, site.processes);
  const std::string cause = site.cause == CauseKind::unknown ? "" : fmt::format(", {}", info_of(site.cause).slug);
  return printable(fmt::format("{}: {}, {} {} per step{}", who, site.place, show_range(site.per_step),
                               site.per_step->max == 1 ? "wait" : "waits", cause)) +
         "\n";
}

std::string straggler_lines(const Processes& runs, const OwnTimes& times, std::string_view what,
                            const std::string& mark) {
  std::string text;
  for (std::size_t i = 0; i < times.stragglers.size() && i < kMostStragglers; ++i) {
    const Straggler& s = times.stragglers[i];
    const std::string more =
        s.others_ns > 0 ? fmt::format(", {:.0f} % more", 100.0 * double(s.own_ns - s.others_ns) / double(s.others_ns))
                        : "";
    text += printable(fmt::format("straggler {}: {} {} of a step{}, the others {}{}", runs[s.process].name, what,
                                  show_time(s.own_ns), mark, show_time(s.others_ns), more)) +
            "\n";
  }
  if (times.stragglers.size() > kMostStragglers)
    text += fmt::format("... and {} more stragglers: --json has all\n", times.stragglers.size() - kMostStragglers);
  return text;
}

// What can be said of who is slow; where nothing stands out, what was compared.
std::string stragglers_part(const Processes& runs, const Ranks& ranks) {
  const std::string mark = ranks.modelled ? " (modelled)" : "";
  const std::string found = straggler_lines(runs, ranks.gpu, "its GPU works, collectives apart,", mark) +
                            straggler_lines(runs, ranks.host, "its host spends, waits apart,", mark);
  if (!found.empty()) return found;
  const bool gpu = ranks.gpu.why_not.empty(), host = ranks.host.why_not.empty();
  if (!gpu && !host) return fmt::format("stragglers: cannot tell ({})\n", ranks.gpu.why_not);
  const std::string gpu_part =
      gpu ? fmt::format("GPU work without collectives {} of a step", show_time_range(ranks.gpu.own_ns)) : "";
  const std::string host_part =
      host ? fmt::format("host time outside waits {}", show_time_range(ranks.host.own_ns)) : "";
  return fmt::format("no stragglers: {}{}{}{}\n", gpu_part, gpu && host ? ", " : "", host_part, mark);
}

std::string compared_part(const Processes& runs, const Ranks& ranks) {
  std::string text = overall_line(ranks);
  if (ranks.compared >= 2) {
    const std::size_t shown = ranks.sites.size() <= kMostSites + 1 ? ranks.sites.size() : kMostSites;
    for (std::size_t i = 0; i < shown; ++i) text += site_line(runs, ranks, ranks.sites[i]);
    if (shown < ranks.sites.size())
      text += fmt::format("... and {} more places where only some wait: --json has all\n", ranks.sites.size() - shown);
    if (ranks.sites.empty()) text += "every one of them waits at the same places\n";
    text += stragglers_part(runs, ranks);
  }
  for (const std::string& note : ranks.notes) text += "note: " + printable(note) + "\n";
  return text;
}

}  // namespace

std::string render_processes(const std::string& path, const Processes& runs, std::size_t shown, const Ranks& ranks,
                             const TextStyle& style) {
  std::string title = fmt::format("{} · {} processes", path, runs.size());
  const std::string command = command_of(runs.front().summary);
  if (is_one_command(runs) && command != "unknown") title += " · " + command;
  return printable(title) + "\n\n" + processes_table(runs, shown, ranks, style) +
         wrapped(compared_part(runs, ranks), style) + "\nBelow: " + printable(runs[shown].name) + "\n\n";
}

}  // namespace zerostall
