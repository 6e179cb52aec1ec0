#include <fmt/format.h>

#include <algorithm>

#include "profiler/base/strings.h"
#include "profiler/gate/baseline_pair.h"
#include "profiler/gate/baseline_words.h"

namespace zerostall::gate {
namespace {

void add_improved(const Pair& pair, const std::string& text, CheckReport& report) {
  add_finding(report, FindingKind::improved, pair.run.name, text + "; `zerostall baseline update` takes it over")
      .level = pair.policy.improved_is_violation ? Level::error : Level::warn;
}

// Where no place has fewer: the same waits by other means.
void judge_fewer_counters(const Pair& pair, CheckReport& report) {
  for (const Metric* metric : baseline_metrics()) {
    const auto before = pair.before.counts.find(std::string(metric->key));
    const auto now = pair.all.counts.find(std::string(metric->key));
    if (before == pair.before.counts.end() || now == pair.all.counts.end()) continue;
    const CountPair counts{before->second, pair.steps_before(), now->second, pair.all.judged};
    const CountChange change =
        change_of(counts.before, counts.before_steps, counts.now, counts.now_steps, pair.counter_rule());
    if (change == CountChange::fewer) add_improved(pair, change_words(change, counts, metric->noun, ""), report);
  }
}

void note(const std::string& text, CheckReport& report) {
  if (std::find(report.notes.begin(), report.notes.end(), text) == report.notes.end()) report.notes.push_back(text);
}

// "a, b, c and 2 more".
std::string first_few(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 3;
  const std::string more = names.size() > kMost ? fmt::format(" and {} more", names.size() - kMost) : "";
  return join(std::span(names).first(std::min(kMost, names.size())), ", ") + more;
}

// Rows of those counters that changed, or that are always shown.
void add_rows_of(const Pair& pair, const BaselineCounts& before, const BaselineCounts& now, const std::string& region,
                 CheckReport& report) {
  const auto always = [&](std::string_view key) {
    return region.empty() && (key == "waits" || key == "stream_syncs" || key == "h2d_stalls");
  };
  const std::string where = region.empty() ? "" : " in region " + region;
  for (const Metric* metric : baseline_metrics()) {
    const auto old = before.find(std::string(metric->key)), current = now.find(std::string(metric->key));
    if (old == before.end() || current == now.end()) continue;
    const CountPair counts{old->second, pair.steps_before(), current->second, pair.all.judged};
    const CountChange change =
        change_of(counts.before, counts.before_steps, counts.now, counts.now_steps, pair.counter_rule());
    if (change == CountChange::same && !always(metric->key)) continue;
    if (change != CountChange::same && counts.before.max == counts.now.max)
      report.compared.push_back({pair.run.name, fmt::format("{} in 100 steps{}", plural_of(metric->noun), where),
                                 per_100(counts.before, counts.before_steps), per_100(counts.now, counts.now_steps)});
    else
      report.compared.push_back({pair.run.name, fmt::format("{} per step{}", plural_of(metric->noun), where),
                                 counts.before.max, counts.now.max});
  }
}

}  // namespace

void judge_fewer(const Pair& pair, CheckReport& report) {
  if (pair.incomplete) return;
  const auto matches = match_sites(pair.before.sites, pair.all.sites);
  std::vector<const BaselineSite*> became(pair.before.sites.size(), nullptr);
  for (std::size_t i = 0; i < matches.size(); ++i)
    if (matches[i].by != MatchedBy::nothing) became[matches[i].before] = &pair.all.sites[i];
  bool any = false;
  for (std::size_t i = 0; i < became.size(); ++i) {
    const BaselineSite& before = pair.before.sites[i];
    const BaselineSite* now = became[i];
    const CountPair counts{before.waits, pair.steps_before(), now ? now->waits : BaselineCount{}, pair.all.judged};
    const CountChange change =
        change_of(counts.before, counts.before_steps, counts.now, counts.now_steps, pair.site_rule());
    if (change != CountChange::fewer) continue;
    any = true;
    const std::string place = now ? place_now(pair, *now) : fmt::format("{} ({})", before.place, before.cause);
    add_improved(pair, change_words(change, counts, "wait", place), report);
  }
  if (!any) judge_fewer_counters(pair, report);
}

void add_rows(const Pair& pair, CheckReport& report) {
  add_rows_of(pair, pair.before.counts, pair.all.counts, "", report);
  for (const auto& [name, before] : pair.before.regions)
    if (const auto now = pair.all.regions.find(name); now != pair.all.regions.end())
      add_rows_of(pair, before, now->second, name, report);
}

void add_notes(const Pair& pair, CheckReport& report) {
  std::vector<std::string> edited;
  for (std::size_t i = 0; i < pair.matches.size(); ++i)
    if (pair.matches[i].by == MatchedBy::edited) edited.push_back(place_now(pair, pair.now.sites[i]));
  if (!edited.empty()) note("edited since the baseline, and taken for the same waits: " + first_few(edited), report);
  std::vector<std::string> regions;
  for (const auto& [name, counts] : pair.now.regions)
    if (const auto waits = counts.find("waits");
        !pair.before.regions.contains(name) && waits != counts.end() && waits->second.max > 0)
      regions.push_back(name);
  if (!regions.empty())
    note("not in the baseline as regions, so that their waits are judged by place alone: " + first_few(regions),
         report);
}

}  // namespace zerostall::gate
