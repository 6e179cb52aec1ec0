#include "reports/baseline_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "profiler/base/printable.h"
#include "profiler/base/strings.h"
#include "profiler/gate/baseline_parts.h"
#include "profiler/gate/baseline_words.h"
#include "reports/table.h"

namespace zerostall {
namespace {

// "3", "0..1, 4 in 48 steps".
std::string cell(const BaselineCount& count, std::int64_t steps) {
  if (count.min == count.max) return fmt::to_string(count.max);
  return fmt::format("{}..{}, {} in {}", count.min, count.max, count.sum, counted(steps, "step"));
}

Table site_table(const BaselineProcess& process) {
  Table table{{"where", "waits/step", "cause", "kind"}, {}, 2};
  std::vector<const BaselineSite*> sites;
  for (const BaselineSite& site : process.sites) sites.push_back(&site);
  std::stable_sort(sites.begin(), sites.end(), [](auto* a, auto* b) { return a->waits.sum > b->waits.sum; });
  for (const BaselineSite* site : sites)
    table.rows.push_back({site->place, cell(site->waits, process.judged), site->cause, site->what});
  return table;
}

// Counters that are 0 throughout are left out, but for the two that people look for.
Table counter_table(const BaselineProcess& process) {
  std::vector<const Metric*> shown;
  for (const Metric* metric : gate::baseline_metrics()) {
    const auto any = [&](const BaselineCounts& counts) {
      const auto count = counts.find(std::string(metric->key));
      return count != counts.end() && count->second.max > 0;
    };
    const bool always = metric->key == "waits" || metric->key == "stream_syncs";
    if (always || any(process.counts)) shown.push_back(metric);
  }
  Table table{{"per step"}, {}};
  for (const Metric* metric : shown) table.header.push_back(gate::plural_of(metric->noun));
  const auto add = [&](const std::string& name, const BaselineCounts& counts) {
    std::vector<std::string> row = {name};
    for (const Metric* metric : shown) {
      const auto count = counts.find(std::string(metric->key));
      row.push_back(count == counts.end() ? "unknown" : cell(count->second, process.judged));
    }
    table.rows.push_back(std::move(row));
  };
  add("whole step", process.counts);
  for (const auto& [name, counts] : process.regions) add("region " + name, counts);
  return table;
}

std::string change_cell(const std::optional<BaselineCount>& count, std::int64_t steps) {
  return count ? cell(*count, steps) : "none";
}

}  // namespace

std::string baseline_headline(const Baseline& baseline) {
  std::string text = printable(baseline.device);
  if (baseline.processes.empty()) return text + " · no process";
  const BaselineProcess* most = &baseline.processes.front();
  const auto waits_of = [](const BaselineProcess& process) {
    const auto waits = process.counts.find("waits");
    return waits == process.counts.end() ? BaselineCount{} : waits->second;
  };
  for (const BaselineProcess& process : baseline.processes)
    if (waits_of(process).sum > waits_of(*most).sum) most = &process;
  if (baseline.processes.size() > 1)
    text += fmt::format(" · {} processes, most waits: {}", baseline.processes.size(), gate::process_words(most->rank));
  text += fmt::format(" · {} judged, first {} not", counted(most->judged, "step"), baseline.warmup);
  if (baseline.steps_from != name_of(StepsFrom::marks)) text += " · steps by " + printable(baseline.steps_from);
  return text + fmt::format(" · {} at {}", gate::often_words(waits_of(*most), most->judged, "wait"),
                            counted(std::ssize(most->sites), "place"));
}

std::string render_baseline_text(const Baseline& baseline) {
  std::string text;
  for (const BaselineProcess& process : baseline.processes) {
    if (baseline.processes.size() > 1)
      text += fmt::format("\n{}, {} judged\n", gate::process_words(process.rank), counted(process.judged, "step"));
    text += render_table(site_table(process));
    text += (process.sites.empty() ? "" : "\n") + render_table(counter_table(process));
  }
  return text;
}

std::string render_baseline_changes(std::span<const BaselineChange> changes) {
  const bool several =
      std::any_of(changes.begin(), changes.end(), [](const BaselineChange& c) { return !c.process.empty(); });
  Table table{{"waits per step", "before", "now", ""}, {}, 1};
  for (const BaselineChange& change : changes)
    table.rows.push_back({several ? change.process + ": " + change.name : change.name,
                          change_cell(change.before, change.before_steps), change_cell(change.now, change.now_steps),
                          change.worse ? "worse" : "better"});
  return render_table(table);
}

}  // namespace zerostall
