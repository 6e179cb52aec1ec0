#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "profiler/base/strings.h"
#include "profiler/gate/baseline_parts.h"
#include "profiler/gate/baseline_words.h"

namespace zerostall {
namespace gate {
namespace {

PairedProcesses pairs_of(const Baseline& before, const Baseline& now) {
  std::vector<std::optional<std::int64_t>> old, current;
  for (const BaselineProcess& process : before.processes) old.push_back(process.rank);
  for (const BaselineProcess& process : now.processes) current.push_back(process.rank);
  return pair_processes(old, current);
}

// Two states of one process.
struct States {
  const BaselineProcess &before, &now;
  bool by_step = true;
  CountRule site_rule() const { return {0, 0, by_step}; }
  CountRule counter_rule() const { return {room_of(before), room_of(now), by_step}; }
  CountChange change(const BaselineCount& old, const BaselineCount& current, const CountRule& rule) const {
    return change_of(old, before.judged, current, now.judged, rule);
  }
};

States states_of(const Baseline& all, const BaselineProcess& before, const BaselineProcess& now) {
  return {before, now, all.steps_from != name_of(StepsFrom::anchor) && all.steps_from != name_of(StepsFrom::period)};
}

bool is_worse(CountChange change) { return change == CountChange::more_at_once || change == CountChange::more_often; }

// For each place of before what it is now; null = gone.
std::vector<const BaselineSite*> sites_now(const States& states, std::vector<SiteMatch>& matches) {
  matches = match_sites(states.before.sites, states.now.sites);
  std::vector<const BaselineSite*> now(states.before.sites.size(), nullptr);
  for (std::size_t i = 0; i < matches.size(); ++i)
    if (matches[i].by != MatchedBy::nothing) now[matches[i].before] = &states.now.sites[i];
  return now;
}

void add_site_changes(const States& states, const BaselineChange& form, std::vector<BaselineChange>& changes) {
  const auto add = [&](const BaselineSite& site, std::optional<BaselineCount> before, std::optional<BaselineCount> now,
                       bool worse) {
    BaselineChange change = form;
    change.name = fmt::format("{} ({})", site.place, site.cause);
    change.before = before;
    change.now = now;
    change.worse = worse;
    changes.push_back(std::move(change));
  };
  std::vector<SiteMatch> matches;
  const auto became = sites_now(states, matches);
  for (std::size_t i = 0; i < became.size(); ++i) {
    const BaselineSite& before = states.before.sites[i];
    const BaselineCount now = became[i] ? became[i]->waits : BaselineCount{};
    const CountChange change = states.change(before.waits, now, states.site_rule());
    if (change != CountChange::same)
      add(became[i] ? *became[i] : before, before.waits, became[i] ? std::optional(now) : std::nullopt,
          is_worse(change));
  }
  for (std::size_t i = 0; i < matches.size(); ++i)
    if (matches[i].by == MatchedBy::nothing) add(states.now.sites[i], std::nullopt, states.now.sites[i].waits, true);
}

void add_count_changes(const States& states, const BaselineCounts& old, const BaselineCounts& current,
                       const std::string& where, const BaselineChange& form, std::vector<BaselineChange>& changes) {
  for (const Metric* metric : baseline_metrics()) {
    const auto before = old.find(std::string(metric->key)), now = current.find(std::string(metric->key));
    if (before == old.end() || now == current.end()) continue;
    const CountChange change = states.change(before->second, now->second, states.counter_rule());
    if (change == CountChange::same) continue;
    BaselineChange row = form;
    row.name = plural_of(metric->noun) + where;
    row.before = before->second;
    row.now = now->second;
    row.worse = is_worse(change);
    changes.push_back(std::move(row));
  }
}

void add_changes(const States& states, const std::string& process, std::vector<BaselineChange>& changes) {
  BaselineChange form;
  form.process = process;
  form.before_steps = states.before.judged;
  form.now_steps = states.now.judged;
  add_site_changes(states, form, changes);
  add_count_changes(states, states.before.counts, states.now.counts, "", form, changes);
  for (const auto& [name, counts] : states.now.regions) {
    const auto before = states.before.regions.find(name);
    const BaselineCounts none;
    add_count_changes(states, before == states.before.regions.end() ? none : before->second, counts,
                      " in region " + name, form, changes);
  }
}

// A count as it would be over another number of steps: never less than it was per step.
BaselineCount over(BaselineCount count, std::int64_t steps, std::int64_t wanted) {
  if (steps <= 0 || steps == wanted) return count;
  const std::int64_t at_rate = (count.sum * wanted + steps - 1) / steps;
  count.sum = std::clamp(std::max(at_rate, count.max), count.min * wanted, count.max * wanted);
  return count;
}

void take_counts(const States& states, const BaselineCounts& current, bool accept_more, BaselineCounts& kept) {
  for (const auto& [key, now] : current) {
    const auto before = kept.find(key);
    if (before == kept.end()) {
      kept[key] = over(now, states.now.judged, states.before.judged);
      continue;
    }
    const CountChange change = states.change(before->second, now, states.counter_rule());
    if (change == CountChange::fewer || (accept_more && is_worse(change)))
      before->second = over(now, states.now.judged, states.before.judged);
  }
}

std::vector<BaselineSite> take_sites(const States& states, bool accept_more) {
  std::vector<BaselineSite> kept;
  std::vector<SiteMatch> matches;
  const auto became = sites_now(states, matches);
  for (std::size_t i = 0; i < became.size(); ++i) {
    const BaselineSite& before = states.before.sites[i];
    const BaselineCount now = became[i] ? became[i]->waits : BaselineCount{};
    const CountChange change = states.change(before.waits, now, states.site_rule());
    const bool take = change == CountChange::fewer || (accept_more && is_worse(change));
    if (take && became[i] == nullptr) continue;
    BaselineSite site = became[i] ? *became[i] : before;  // a line that was edited is known by its new text
    site.waits = take ? over(now, states.now.judged, states.before.judged) : before.waits;
    kept.push_back(std::move(site));
  }
  for (std::size_t i = 0; accept_more && i < matches.size(); ++i) {
    if (matches[i].by != MatchedBy::nothing) continue;
    kept.push_back(states.now.sites[i]);
    kept.back().waits = over(kept.back().waits, states.now.judged, states.before.judged);
  }
  std::sort(kept.begin(), kept.end(), [](const BaselineSite& a, const BaselineSite& b) {
    return std::tie(a.place, a.cause, a.what, a.id) < std::tie(b.place, b.cause, b.what, b.id);
  });
  return kept;
}

bool was_edited(const States& states) {
  const auto matches = match_sites(states.before.sites, states.now.sites);
  return std::any_of(matches.begin(), matches.end(), [](const SiteMatch& m) { return m.by == MatchedBy::edited; });
}

// A run that is as long tells all that the old one told; of a shorter one only what changed is taken over, for what it
// does not show it may just not have come to.
BaselineProcess tightened_process(const States& states, bool accept_more) {
  std::vector<BaselineChange> changes;
  add_changes(states, "", changes);
  const bool new_regions = std::any_of(states.now.regions.begin(), states.now.regions.end(), [&](const auto& region) {
    return !states.before.regions.contains(region.first);
  });
  if (changes.empty() && !new_regions && !was_edited(states)) return states.before;
  const bool any_worse = std::any_of(changes.begin(), changes.end(), [](const auto& c) { return c.worse; });
  if (states.now.judged >= states.before.judged && (accept_more || !any_worse)) return states.now;
  BaselineProcess kept = states.before;
  kept.sites = take_sites(states, accept_more);
  take_counts(states, states.now.counts, accept_more, kept.counts);
  for (const auto& [name, counts] : states.now.regions) take_counts(states, counts, accept_more, kept.regions[name]);
  return kept;
}

}  // namespace
}  // namespace gate

std::string why_not_comparable(const Baseline& before, const Baseline& now) {
  using namespace gate;
  if (std::string why = other_recording(before, now); !why.empty()) return why;
  const PairedProcesses paired = pairs_of(before, now);
  if (paired.ambiguous)
    return "which process is which cannot be told: several have no rank, or the same; torchrun sets RANK";
  for (const auto& [old, current] : paired.pairs) {
    if (current == kNone)
      return fmt::format("{} of {} is not in this recording", process_words(before.processes[old].rank),
                         baseline_words(before));
    if (old == kNone)
      return fmt::format("{} is not in {}", process_words(now.processes[current].rank), baseline_words(before));
    const auto &was = before.processes[old].kernels, &is = now.processes[current].kernels;
    if (other_sizes(was, is))
      return fmt::format("{} is of {} kernels per step, this run of {}: other sizes wait otherwise",
                         baseline_words(before), *was, *is);
  }
  return "";
}

std::vector<BaselineChange> changes_between(const Baseline& before, const Baseline& now) {
  using namespace gate;
  std::vector<BaselineChange> changes;
  for (const auto& [old, current] : pairs_of(before, now).pairs) {
    if (old == kNone || current == kNone) continue;
    const std::string name = now.processes.size() > 1 ? process_words(now.processes[current].rank) : "";
    add_changes(states_of(now, before.processes[old], now.processes[current]), name, changes);
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const BaselineChange& a, const BaselineChange& b) { return a.worse > b.worse; });
  return changes;
}

Baseline tightened(const Baseline& old, const Baseline& now, bool accept_more) {
  using namespace gate;
  if (!why_not_comparable(old, now).empty()) return now;
  Baseline result = old;
  for (const auto& [before, current] : pairs_of(old, now).pairs)
    result.processes[before] =
        tightened_process(states_of(now, old.processes[before], now.processes[current]), accept_more);
  if (result.processes != old.processes) {
    result.versions = now.versions;
    result.warmup = now.warmup;
  }
  return result;
}

}  // namespace zerostall
