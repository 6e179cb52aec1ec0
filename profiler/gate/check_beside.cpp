// What budgets on steps do not see, and what stands in the way of a pass.
#include <fmt/format.h>

#include <algorithm>

#include "profiler/gate/check_parts.h"

namespace zerostall::gate {
namespace {

void add_warning(CheckReport& report, const std::string& run, std::string text) {
  add_finding(report, FindingKind::cannot_tell, run, std::move(text)).level = Level::warn;
}

bool limits(const Policy& policy, Scope::Part part) {
  return std::any_of(policy.budgets.begin(), policy.budgets.end(),
                     [&](const Budget& b) { return b.scope.part == part && b.level != Level::off; });
}

bool limits(const Policy& policy, std::string_view metric) {
  return std::any_of(policy.budgets.begin(), policy.budgets.end(),
                     [&](const Budget& b) { return b.metric->key == metric && b.level != Level::off; });
}

std::int64_t steps_with(const RunSummary& run, Count (*figure)(const StepRow&)) {
  return std::count_if(run.steps.begin(), run.steps.end(),
                       [&](const StepRow& step) { return step.judged && figure(step).value_or(0) > 0; });
}

// A region that a rule is about and that is not in every step: a mistyped name counts 0 where it is missing.
void warn_of_rare_regions(const Policy& policy, const JudgedRun& run, CheckReport& report) {
  for (const RegionSummary& region : run.summary().regions) {
    const bool asked_for = std::any_of(policy.budgets.begin(), policy.budgets.end(),
                                       [&](const Budget& b) { return b.scope.region == region.name; });
    std::int64_t occurs = 0;
    for (const StepRow& step : run.summary().steps)
      for (const RegionRow& row : step.regions) occurs += step.judged && row.name == region.name && row.occurs ? 1 : 0;
    if (asked_for && occurs > 0 && occurs < run.summary().judged())
      add_warning(report, run.run.name,
                  fmt::format("region {} is in {} of {} judged steps; in the others nothing counts as its own",
                              region.name, occurs, run.summary().judged()));
  }
}

// Waits that no budget on steps sees. Where a program waits between its steps each time, they are not the whole of its
// loop, and what they show is no answer.
void look_beside_the_steps(const Policy& policy, const JudgedRun& run, CheckReport& report) {
  const RunSummary& summary = run.summary();
  if (!run.doubts.hopeless.empty()) return;
  const BetweenSteps& between = summary.between;
  if (waits_each_time(between) && !limits(policy, Scope::Part::outside))
    add_doubt(
        report, run.run.name,
        fmt::format("{} between the judged steps, in {} of {} gaps, which no limit sees: make the steps reach from "
                    "one turn of the loop to the next (torch.cuda.nvtx.mark), or limit them in [budget.outside]",
                    counted(between.waits, "wait"), between.gaps_with_waits, between.gaps));
  const std::int64_t unclosed = summary.unclosed[Counter::waits].value_or(0);
  const std::int64_t most = summary.per_step[Counter::waits] ? summary.per_step[Counter::waits]->max : 0;
  if (unclosed > 2 * most + 2)
    add_warning(report, run.run.name,
                fmt::format("{} in a step without an end, which is not judged: do the marks stop before the loop does?",
                            counted(unclosed, "wait")));
  const auto background = steps_with(summary, [](const StepRow& s) { return s.background[Counter::waits]; });
  if (2 * background >= summary.judged() && !limits(policy, Scope::Part::background))
    report.notes.push_back(with_name(
        run.run.name, fmt::format("other threads wait in {} of {} judged steps, and nothing limits that: should the "
                                  "step wait for them, it waits too ([budget.background])",
                                  background, summary.judged())));
  const auto spins = steps_with(summary, [](const StepRow& s) { return s.counters[Counter::spins]; });
  if (spins > 0 && !limits(policy, "spins"))
    add_warning(
        report, run.run.name,
        fmt::format("{} of {} judged steps poll the GPU in a loop, which is waiting too and no part of `waits`: "
                    "limit it with spins",
                    spins, summary.judged()));
  warn_of_rare_regions(policy, run, report);
}

// With a budget on places: whether the places of waits are known at all.
void look_at_places(const Policy& policy, const JudgedRun& run, CheckReport& report) {
  const RunSummary& summary = run.summary();
  std::int64_t nowhere = 0;
  for (const Site& site : summary.sites)
    if (site.from != SiteFrom::own_line && site.from != SiteFrom::library_line) nowhere += site.judged;
  for (const Budget& budget : policy.budgets) {
    if (budget.scope.site.empty() || budget.level == Level::off || !run.doubts.hopeless.empty()) continue;
    const bool matches = std::any_of(summary.sites.begin(), summary.sites.end(),
                                     [&](const Site& site) { return is_at(site, budget.scope.site); });
    if (!matches && nowhere > 0)
      add_doubt(report, run.run.name,
                fmt::format("{}: {} in judged steps have no line, and may be there: record with call stacks",
                            describe(budget), counted(nowhere, "wait")));
    else if (!matches)
      report.notes.push_back(
          with_name(run.run.name, fmt::format("{}: no wait of this run is there", describe(budget))));
  }
}

// Causes are told better where the lines of source are at hand, unchanged: on another machine they may be told
// otherwise.
void look_at_sources(const Policy& policy, const JudgedRun& run, CheckReport& report) {
  const bool asks =
      std::any_of(policy.allow.begin(), policy.allow.end(), [](const Allowance& a) { return !a.cause.empty(); }) ||
      std::any_of(policy.budgets.begin(), policy.budgets.end(),
                  [](const Budget& b) { return !b.scope.cause.empty() && b.level != Level::off; });
  const auto& sites = run.summary().sites;
  const auto unread = std::count_if(sites.begin(), sites.end(), [](const Site& site) {
    return site.judged > 0 && site.from == SiteFrom::own_line && site.source.empty();
  });
  if (asks && unread > 0)
    add_warning(report, run.run.name,
                fmt::format("the source of {} is not at hand, or newer than the trace: their causes, which the policy "
                            "asks for, are told from the calls alone",
                            counted(unread, "place")));
}

}  // namespace

std::string with_name(const std::string& run, const std::string& text) {
  return run.empty() ? text : run + ": " + text;
}

Finding& add_finding(CheckReport& report, FindingKind kind, const std::string& run, std::string text) {
  Finding finding;
  finding.kind = kind;
  finding.run = run;
  finding.text = std::move(text);
  report.findings.push_back(std::move(finding));
  return report.findings.back();
}

void add_doubt(CheckReport& report, const std::string& run, std::string text) {
  add_finding(report, FindingKind::cannot_tell, run, std::move(text));
}

// Marks around the wrong code, or a model that never went to the GPU: no wait there says nothing.
void doubt_idle_steps(const RunSummary& run, Doubts& doubts) {
  const bool works = std::any_of(run.steps.begin(), run.steps.end(), [](const StepRow& step) {
    return step.judged && (step.launches > 0 || step.counters[Counter::waits] != 0);
  });
  if (doubts.hopeless.empty() && !works)
    doubts.hopeless.push_back(
        "no judged step gives the GPU any work: are the marks around the right code, and the model on the GPU?");
}

void look_beside(const Policy& policy, const JudgedRun& run, CheckReport& report) {
  look_beside_the_steps(policy, run, report);
  look_at_places(policy, run, report);
  look_at_sources(policy, run, report);
}

}  // namespace zerostall::gate
