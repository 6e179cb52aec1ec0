#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "profiler/base/strings.h"
#include "profiler/gate/baseline_pair.h"
#include "profiler/gate/baseline_words.h"
#include "profiler/gate/check_parts.h"

namespace zerostall::gate {
namespace {

// Where one id stands at several lines, that with most waits.
const Site* site_now(const Pair& pair, const std::string& id) {
  const Site* best = nullptr;
  for (const Site& site : pair.run.summary->sites)
    if (site.id == id && (best == nullptr || site.judged > best->judged)) best = &site;
  return best;
}

// The baseline's run did not get as far: perhaps it would have had it, too.
std::string later(const Pair& pair, const std::string& what) {
  return fmt::format(
      "{}; in later steps than {} has ({} of warm-up, {} judged): check a run of as many steps, or update "
      "it from one that is as long as this",
      what, baseline_words(pair.baseline), pair.baseline.warmup, pair.steps_before());
}

// A place of the baseline that is gone, with the same kind of wait: it may just have moved.
std::string moved_from(const Pair& pair, const BaselineSite& now) {
  std::set<std::size_t> matched;
  for (const SiteMatch& match : pair.matches)
    if (match.by != MatchedBy::nothing) matched.insert(match.before);
  for (std::size_t i = 0; i < pair.before.sites.size(); ++i) {
    const BaselineSite& gone = pair.before.sites[i];
    if (matched.contains(i) || gone.what != now.what || find_site(pair.all, gone.id) != nullptr) continue;
    return fmt::format("; moved there from {}? then `zerostall baseline update --accept-more`", gone.place);
  }
  return "";
}

void judge_new(const Pair& pair, const BaselineSite& now, CheckReport& report) {
  const std::string what = fmt::format("{} at a place that is not in the baseline: {}",
                                       often_words(now.waits, pair.now.judged, "wait"), place_now(pair, now));
  if (pair.incomplete) {  // what is missing may be what the place was known by
    add_finding(report, FindingKind::cannot_tell, pair.run.name, what + "; the recording is not complete");
    return;
  }
  if (find_site(pair.covered, now.id) == nullptr) {
    add_finding(report, FindingKind::cannot_tell, pair.run.name, later(pair, what));
    return;
  }
  Finding& finding = add_finding(report, FindingKind::baseline, pair.run.name, what + moved_from(pair, now));
  if (const Site* site = site_now(pair, now.id)) finding.site = at_fault(*site, now.waits.max);
}

void judge_known(const Pair& pair, const BaselineSite& before, const BaselineSite& now, CheckReport& report) {
  const CountPair counts{before.waits, pair.steps_before(), now.waits, pair.now.judged};
  const CountChange change = change_of(before.waits, pair.steps_before(), now.waits, pair.now.judged, pair.site_rule());
  if (change != CountChange::more_at_once && change != CountChange::more_often) return;
  std::string text = change_words(change, counts, "wait", place_now(pair, now));
  const BaselineSite* covered = find_site(pair.covered, now.id);
  if (change == CountChange::more_at_once && (covered == nullptr || covered->waits.max <= before.waits.max)) {
    add_finding(report, FindingKind::cannot_tell, pair.run.name, later(pair, text));
    return;
  }
  Finding& finding = add_finding(report, FindingKind::baseline, pair.run.name, std::move(text));
  if (const Site* site = site_now(pair, now.id)) finding.site = at_fault(*site, now.waits.max);
}

// Of the step with most of it, the place with most of it.
std::optional<SiteAtFault> busiest(const Pair& pair, const Metric& metric, const std::string& region) {
  const RunSummary& run = *pair.run.summary;
  std::map<std::uint32_t, std::int64_t> best;
  std::int64_t most = 0;
  for (const StepRow& step : run.steps) {
    std::map<std::uint32_t, std::int64_t> here;
    std::int64_t all = 0;
    for (const WaitSeen& wait : step.waits) {
      const bool inside =
          region.empty() || std::find(wait.regions.begin(), wait.regions.end(), region) != wait.regions.end();
      const std::int64_t share = share_of(wait, metric.counter).value_or(0);
      if (!step.judged || !inside || share == 0 || wait.site >= run.sites.size()) continue;
      here[wait.site] += share;
      all += share;
    }
    if (all > most) most = all, best = std::move(here);
  }
  const auto top = std::max_element(best.begin(), best.end(), [](auto& a, auto& b) { return a.second < b.second; });
  if (top == best.end()) return std::nullopt;
  return at_fault(run.sites[top->first], top->second);
}

// The counters of a step, or of a region of it.
struct CountersOf {
  const BaselineCounts &before, &now, &covered;
  std::string region;  // "" = the whole step
};

// `later_told`: of what comes in later steps than the baseline has, its place tells.
void judge_counter(const Pair& pair, const CountersOf& of, const Metric& metric, bool later_told,
                   std::set<std::string_view>& told, CheckReport& report) {
  const std::string key(metric.key);
  const auto before = of.before.find(key), now = of.now.find(key), covered = of.covered.find(key);
  if (before == of.before.end() || told.contains(metric.key)) return;
  if (now == of.now.end()) {
    told.insert(metric.key);
    add_finding(
        report, FindingKind::cannot_tell, pair.run.name,
        fmt::format("how many {} a step has is not known of this run, and is in the baseline", plural_of(metric.noun)));
    return;
  }
  const CountRule rule = pair.counter_rule();
  const CountPair counts{before->second, pair.steps_before(), now->second, pair.now.judged};
  const CountChange change = change_of(counts.before, counts.before_steps, counts.now, counts.now_steps, rule);
  if (change != CountChange::more_at_once && change != CountChange::more_often) return;
  told.insert(metric.key);
  const std::string where = of.region.empty() ? "" : "in region " + of.region;
  const std::string text = change_words(change, counts, metric.noun, where);
  const bool early = covered != of.covered.end() && covered->second.max > before->second.max + rule.room;
  const bool is_later = change == CountChange::more_at_once && !early;
  if (is_later && later_told) return;
  if (is_later)
    add_finding(report, FindingKind::cannot_tell, pair.run.name, later(pair, text));
  else
    add_finding(report, FindingKind::baseline, pair.run.name, text).site = busiest(pair, metric, of.region);
}

void judge_counters(const Pair& pair, bool later_told, CheckReport& report) {
  std::set<std::string_view> told;
  const auto judge = [&](const CountersOf& of) {
    for (const Metric* metric : baseline_metrics()) judge_counter(pair, of, *metric, later_told, told, report);
  };
  judge({pair.before.counts, pair.now.counts, pair.covered.counts, ""});
  if (!told.empty()) return;
  static const BaselineCounts kNothing;
  for (const auto& [name, counts] : pair.now.regions) {
    const auto before = pair.before.regions.find(name), covered = pair.covered.regions.find(name);
    if (before == pair.before.regions.end()) continue;
    judge({before->second, counts, covered == pair.covered.regions.end() ? kNothing : covered->second, name});
  }
}

}  // namespace

const BaselineSite* find_site(const BaselineProcess& process, const std::string& id) {
  const auto found =
      std::find_if(process.sites.begin(), process.sites.end(), [&](const BaselineSite& s) { return s.id == id; });
  return found == process.sites.end() ? nullptr : &*found;
}

std::string place_now(const Pair& pair, const BaselineSite& now) {
  const Site* site = site_now(pair, now.id);
  return fmt::format("{} ({})", site != nullptr ? site->place : now.place, now.cause);
}

void judge_more(const Pair& pair, CheckReport& report) {
  const std::size_t findings = report.findings.size();
  for (std::size_t i = 0; i < pair.now.sites.size(); ++i) {
    const BaselineSite& now = pair.now.sites[i];
    if (pair.matches[i].by == MatchedBy::nothing)
      judge_new(pair, now, report);
    else
      judge_known(pair, pair.before.sites[pair.matches[i].before], now, report);
  }
  const auto is_violation = [](const Finding& f) { return f.kind == FindingKind::baseline; };
  const auto added = report.findings.begin() + static_cast<std::ptrdiff_t>(findings);
  if (std::any_of(added, report.findings.end(), is_violation)) return;
  judge_counters(pair, !pair.incomplete && report.findings.size() > findings, report);
}

}  // namespace zerostall::gate
