// Reports of `zerostall check` made by hand: what the writers are shown in tests.
#pragma once
#include <cstdint>
#include <string>
#include <utility>

#include "profiler/gate/check.h"

namespace zerostall::testing {

inline CheckedFacts make_facts(std::int64_t most_waits = 0) {
  CheckedFacts facts;
  facts.trace = "runs/run.zstall";
  facts.device = "simulated H200";
  facts.modelled = true;
  facts.steps_from = "marks";
  facts.steps = 20;
  facts.judged = 18;
  facts.warmup = 2;
  facts.most_waits = most_waits;
  facts.allowed = 3;
  facts.outside = 10;
  return facts;
}

inline Budget make_budget(const char* metric, std::string region, std::int64_t at_most, std::uint32_t line) {
  Budget budget;
  budget.metric = find_metric(metric);
  budget.scope.region = std::move(region);
  budget.limit.at_most = at_most;
  budget.line = line;
  return budget;
}

inline BudgetResult make_result(Budget budget, std::int64_t actual) {
  BudgetResult result;
  result.verdict = actual > budget.limit.at_most ? Verdict::violation : Verdict::pass;
  result.budget = std::move(budget);
  result.actual = actual;
  return result;
}

inline SiteAtFault make_site() {
  return {"0123456789ab",
          "train.py:31 in step",
          "train.py",
          31,
          "step",
          "cudaMemcpyAsync 4 B device to host + cudaStreamSynchronize",
          CauseKind::scalar_read,
          2};
}

// Three budgets, all of them kept.
inline CheckReport pass_report() {
  CheckReport report;
  report.verdict = Verdict::pass;
  report.exit_code = 0;
  report.checked = {make_facts()};
  report.budgets = {make_result(make_budget("waits", "train", 0, 8), 0),
                    make_result(make_budget("h2d_stalls", "load", 4, 10), 4),
                    make_result(make_budget("blocked_time", "", 2'000'000, 12), 1'250'000)};
  report.policy = "zerostall.toml";
  report.command = "zerostall check --policy zerostall.toml";
  report.commit = "2f1c0de";
  return report;
}

// A read of the loss has come into the step since the baseline; a second allowance is out of use.
inline CheckReport violation_report() {
  CheckReport report = pass_report();
  report.verdict = Verdict::violation;
  report.exit_code = 1;
  report.checked = {make_facts(2)};
  BudgetResult& broken = report.budgets.front();
  broken = make_result(make_budget("waits", "train", 0, 8), 2);
  broken.step = 7;
  broken.steps_over = 12;
  broken.sites = {make_site()};

  Finding budget;
  budget.text =
      "waits (region train): at most 0 in each step; found 2 in step 7, over in 12 of 18 judged steps: train.py:31 in "
      "step (scalar-read, 2 waits)";
  budget.budget = 0;
  budget.site = make_site();
  budget.policy_line = 8;
  Finding baseline;
  baseline.kind = FindingKind::baseline;
  baseline.text = "2 waits per step, 0 in the baseline: train.py:31 in step";
  baseline.site = make_site();
  Finding unused;
  unused.kind = FindingKind::allowance_unused;
  unused.level = Level::warn;
  unused.text = "allow eval.py:*: matches no wait of 18 judged steps: remove it, or mend its pattern";
  unused.policy_line = 21;
  report.findings = {budget, baseline, unused};
  report.reasons = {{Verdict::violation, budget.text}, {Verdict::violation, baseline.text}};
  report.notes = {"changed since the baseline as well, and perhaps the reason: torch 2.9.1 -> 2.11.0"};
  report.compared = {
      {"", "waits per step", 0, 2}, {"", "stream syncs per step", 1, 3}, {"", "H2D stalls per step", 4, 4}};
  report.baseline = "zerostall.baseline.json";
  Allowance allow;
  allow.site = "train.py:step";
  allow.cause = "scalar-read";
  allow.waits_per_step = 2;
  report.suggested = {allow};
  return report;
}

// Two ranks, of which one was cut off.
inline CheckReport cannot_tell_report() {
  CheckReport report = pass_report();
  report.verdict = Verdict::cannot_tell;
  report.exit_code = 3;
  report.checked = {make_facts(), make_facts()};
  report.checked[0].name = "rank0";
  report.checked[1].name = "rank1";
  report.checked[1].steps = 4;
  report.checked[1].judged = 2;
  report.checked[1].most_waits.reset();
  const std::string why = "2 steps in the trace to judge after 2 of warm-up, at least 3 are needed";
  report.budgets = {make_result(make_budget("waits", "train", 0, 8), 0),
                    make_result(make_budget("waits", "train", 0, 8), 0)};
  report.budgets[0].run = "rank0";
  report.budgets[1].run = "rank1";
  report.budgets[1].verdict = Verdict::cannot_tell;
  report.budgets[1].actual.reset();
  report.budgets[1].why = why;
  Finding finding;
  finding.kind = FindingKind::cannot_tell;
  finding.run = "rank1";
  finding.text = why;
  report.findings = {finding};
  report.reasons = {{Verdict::cannot_tell, "rank1: " + why}};
  return report;
}

// The same name wherever a report can hold one.
inline CheckReport report_with_names(const std::string& name) {
  CheckReport report = violation_report();
  SiteAtFault site = make_site();
  site.id = site.place = site.file = site.function = site.what = name;
  for (CheckedFacts& facts : report.checked) facts.name = facts.trace = facts.device = facts.steps_from = name;
  for (BudgetResult& result : report.budgets) {
    Scope& scope = result.budget.scope;
    scope.region = scope.site = scope.device = scope.cause = result.run = result.why = name;
    result.sites = {site, site};
  }
  for (Finding& finding : report.findings) {
    finding.text = finding.run = name;
    if (finding.site) finding.site = site;
  }
  for (Reason& reason : report.reasons) reason.text = name;
  report.reasons.push_back({Verdict::cannot_tell, name});
  report.notes = {name};
  for (BeforeAfter& row : report.compared) row.run = row.name = name;
  report.suggested = {{name, name, name, name, 1, 50}};
  report.baseline = report.policy = report.command = report.commit = name;
  return report;
}

// Of a program with `findings` places that break a budget, and as many of everything else.
inline CheckReport large_report(std::size_t findings) {
  CheckReport report = violation_report();
  const Finding one = report.findings.front();
  report.findings.clear();
  report.reasons.clear();
  report.suggested.clear();
  for (std::size_t i = 0; i < findings; ++i) {
    Finding finding = one;
    finding.site->id = "site" + std::to_string(i);
    finding.site->place = "train.py:" + std::to_string(i) + " in step";
    report.budgets.front().sites.push_back(*finding.site);
    report.findings.push_back(std::move(finding));
    report.reasons.push_back({i % 2 == 0 ? Verdict::violation : Verdict::cannot_tell, "reason"});
    report.notes.push_back("note");
    report.compared.push_back({"", "figure", 0, 1});
    report.suggested.push_back({"train.py:f" + std::to_string(i)});
    report.checked.push_back(make_facts());
    report.budgets.push_back(report.budgets.back());
  }
  return report;
}

}  // namespace zerostall::testing
