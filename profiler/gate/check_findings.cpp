// What broken budgets and used-up allowances are told as.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "profiler/gate/check_parts.h"

namespace zerostall::gate {
namespace {

using std::chrono::days;
using std::chrono::sys_days;

constexpr days kWarnAhead{14};
constexpr std::size_t kMostSites = 20;  // of one budget; more would hide the first
constexpr std::size_t kMostSuggestions = 20;

std::string date_text(const Date& date) {
  return fmt::format("{:04}-{:02}-{:02}", int(date.year()), unsigned(date.month()), unsigned(date.day()));
}

std::string amount(const BudgetResult& result, std::int64_t value) {
  return result.budget.metric->is_time ? fmt::format("{:.3g} ms", static_cast<double>(value) / 1e6)
                                       : fmt::format("{}", value);
}

// "2 in step 7 (and over in 9 more of 10 judged steps)".
std::string how_much(const BudgetResult& result, std::int64_t judged) {
  const std::string value = amount(result, result.actual.value_or(0));
  switch (result.budget.limit.of) {
    case Statistic::max:
      if (!result.step) return value;
      return fmt::format(
          "{} in step {}{}", value, *result.step,
          result.steps_over > 1 ? fmt::format(", over in {} of {} judged steps", result.steps_over, judged) : "");
    case Statistic::window:
      return fmt::format("{} in the {} steps from step {} on", value, result.budget.limit.steps,
                         result.step.value_or(0));
    case Statistic::median:
      return "median " + value;
    case Statistic::p95:
      return "95th percentile " + value;
    case Statistic::total:
      break;
  }
  return value + " in all";
}

std::string place_words(const SiteAtFault& site) {
  return fmt::format("{} ({}{})", site.place, info_of(site.cause).slug,
                     site.waits > 1 ? fmt::format(", {} waits", site.waits) : "");
}

// The allowance that would have let a wait of this place pass, had it not expired.
std::optional<std::uint32_t> expired_at(const JudgedRun& run, const std::string& site_id) {
  for (std::size_t s = 0; s < run.allowed.by_step.size(); ++s)
    for (std::size_t w = 0; w < run.allowed.by_step[s].size(); ++w) {
      const WaitPass& pass = run.allowed.by_step[s][w];
      if (pass.expired == kNoAllowance || pass.allowed()) continue;
      const std::uint32_t site = run.summary().steps[s].waits[w].site;
      if (site < run.summary().sites.size() && run.summary().sites[site].id == site_id) return pass.expired;
    }
  return std::nullopt;
}

Finding finding_of(const BudgetResult& result, std::size_t position, std::int64_t judged) {
  Finding finding;
  finding.kind = result.verdict == Verdict::violation ? FindingKind::budget : FindingKind::cannot_tell;
  finding.level = result.budget.level;
  finding.run = result.run;
  finding.budget = position;
  finding.policy_line = result.budget.line;
  const std::string what = describe(result.budget);
  finding.text = result.verdict == Verdict::cannot_tell ? fmt::format("{}: {}", what, result.why)
                                                        : fmt::format("{}; found {}", what, how_much(result, judged));
  if (result.verdict == Verdict::violation && !result.why.empty()) finding.text += ", " + result.why;
  return finding;
}

void add_sites(const BudgetResult& result, const JudgedRun& run, std::span<const Allowance> allow,
               const Finding& finding, CheckReport& report) {
  for (std::size_t i = 0; i < std::min(result.sites.size(), kMostSites); ++i) {
    Finding of_site = finding;
    of_site.site = result.sites[i];
    of_site.place = place_words(result.sites[i]);
    if (const auto expired = expired_at(run, result.sites[i].id)) {
      const Allowance& allowance = allow[*expired];
      of_site.kind = FindingKind::allowance_expired;
      of_site.place += fmt::format("; it was allowed until then ({}): expired on {}, not caused by this change",
                                   allowance.reason, date_text(*allowance.expires));
    }
    of_site.text += ": " + of_site.place;
    report.findings.push_back(std::move(of_site));
  }
  if (result.sites.size() > kMostSites) {
    Finding others = finding;
    others.text += fmt::format(": and at {} more places", result.sites.size() - kMostSites);
    report.findings.push_back(std::move(others));
  }
}

// In the step with most, by what a policy can name: several places of one function are one.
std::int64_t most_in_a_step(const JudgedRun& run, const std::string& key) {
  std::int64_t most = 0;
  for (std::size_t s = 0; s < run.summary().steps.size(); ++s) {
    std::int64_t here = 0;
    for (std::size_t w = 0; w < run.allowed.by_step[s].size(); ++w) {
      const std::uint32_t site = run.summary().steps[s].waits[w].site;
      here += site < run.summary().sites.size() && site_key(run.summary().sites[site]) == key;
    }
    most = std::max(most, here);
  }
  return most;
}

// Only where nothing was allowed and nothing stands in the policy: an allowance that expired, or was used up, is to be
// looked at, and a limit that is not 0 to be raised.
void suggest(const BudgetResult& result, const JudgedRun& run, std::span<const Allowance> allow, CheckReport& report) {
  const bool of_waits = !result.budget.metric->is_time && result.budget.scope.part == Scope::Part::steps;
  if (!of_waits || result.budget.level != Level::error || result.budget.limit.at_most > 0) return;
  for (const SiteAtFault& at : result.sites) {
    if (report.suggested.size() == kMostSuggestions) return;
    const auto& sites = run.summary().sites;
    const auto site = std::find_if(sites.begin(), sites.end(), [&](const Site& s) { return s.id == at.id; });
    if (site == sites.end()) continue;
    const bool known = std::any_of(allow.begin(), allow.end(),
                                   [&](const Allowance& a) { return !a.site.empty() && is_at(*site, a.site); });
    if (known) continue;
    Allowance allowance;
    allowance.site = site_key(*site);
    // Of a place without a line the cause tells more; of one with a line it may be told otherwise where that is not at
    // hand.
    if (site->file.empty() && site->cause.kind != CauseKind::unknown) allowance.cause = info_of(site->cause.kind).slug;
    allowance.waits_per_step = std::max(at.waits, most_in_a_step(run, allowance.site));
    const auto same = [&](const Allowance& a) { return a.site == allowance.site && a.cause == allowance.cause; };
    if (std::none_of(report.suggested.begin(), report.suggested.end(), same))
      report.suggested.push_back(std::move(allowance));
  }
}

std::int64_t judged_steps(std::span<const JudgedRun> runs) {
  std::int64_t judged = 0;
  for (const JudgedRun& run : runs) judged = std::max(judged, run.summary().judged());
  return judged;
}

}  // namespace

void add_budget_findings(std::span<const JudgedRun> runs, std::span<const Allowance> allow, CheckReport& report) {
  for (std::size_t i = 0; i < report.budgets.size(); ++i) {
    const BudgetResult& result = report.budgets[i];
    if (!result.applies) continue;
    if (result.verdict == Verdict::pass) {
      if (!result.why.empty()) report.notes.push_back(fmt::format("{}: {}", describe(result.budget), result.why));
      continue;
    }
    const JudgedRun& run = runs[i / (report.budgets.size() / runs.size())];  // by process, as many for each
    Finding finding = finding_of(result, i, run.summary().judged());
    if (result.sites.empty())
      report.findings.push_back(std::move(finding));
    else
      add_sites(result, run, allow, finding, report);
    if (result.verdict == Verdict::violation) suggest(result, run, allow, report);
  }
}

void add_allowance_findings(std::span<const JudgedRun> runs, std::span<const Allowance> allow, const Date& today,
                            CheckReport& report) {
  for (std::size_t a = 0; a < allow.size(); ++a) {
    const Allowance& allowance = allow[a];
    Finding finding;
    finding.level = Level::warn;
    finding.policy_line = allowance.line;
    bool used = false;
    for (const JudgedRun& run : runs) used |= run.allowed.uses[a].waits > 0 || run.allowed.uses[a].refused > 0;
    const bool expired = allowance.expires && *allowance.expires <= today;
    // What an expired one would have let pass is told with the budget that it breaks.
    if (expired && used) continue;
    if (expired) {
      finding.kind = FindingKind::allowance_expired;
      finding.text = fmt::format("allow {}: expired on {} and no longer needed: remove it", describe(allowance),
                                 date_text(*allowance.expires));
      report.findings.push_back(finding);
      continue;
    }
    if (allowance.expires && sys_days(*allowance.expires) - sys_days(today) <= kWarnAhead) {
      finding.kind = FindingKind::allowance_expiring;
      finding.text = fmt::format("allow {}: expires on {}", describe(allowance), date_text(*allowance.expires));
      report.findings.push_back(finding);
    }
    // What comes once in 50 steps need not come in 10.
    if (used || judged_steps(runs) < std::max<std::int64_t>(1, allowance.every)) continue;
    finding.kind = FindingKind::allowance_unused;
    finding.text = fmt::format("allow {}: matches no wait of {}: remove it, or mend its pattern", describe(allowance),
                               counted(judged_steps(runs), "judged step"));
    report.findings.push_back(finding);
  }
}

}  // namespace zerostall::gate
