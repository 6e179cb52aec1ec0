#include "profiler/gate/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "profiler/gate/baseline.h"
#include "profiler/gate/check_parts.h"

namespace zerostall {
namespace {

using gate::add_doubt;
using gate::JudgedRun;
using gate::with_name;

CheckedFacts facts_of(const JudgedRun& run) {
  const RunSummary& summary = run.summary();
  CheckedFacts facts;
  facts.name = run.run.name;
  facts.trace = summary.path;
  facts.device = summary.meta.device_name.empty() ? "unknown device" : summary.meta.device_name;
  facts.modelled = summary.meta.clock == Clock::modelled;
  facts.steps_from = name_of(summary.steps_from);
  facts.steps = std::ssize(summary.steps);
  facts.judged = summary.judged();
  facts.warmup = summary.warmup;
  if (const auto& waits = summary.per_step[Counter::waits]) facts.most_waits = waits->max;
  for (const AllowanceUse& use : run.allowed.uses)
    if (!use.expired) facts.allowed += use.waits;
  facts.allowed_in_program = run.allowed.in_program;
  for (const AllowedInProgram& by_program : run.allowed.in_program) facts.allowed += by_program.waits;
  facts.outside = summary.outside[Counter::waits].value_or(0);
  facts.background = summary.background[Counter::waits].value_or(0);
  facts.unreal_readbacks = summary.unreal_readbacks.judged;
  return facts;
}

// Beside the verdict, whatever it is: the one who reads it is not the one who wrote the program.
void tell_allowed_in_program(const JudgedRun& run, CheckReport& report) {
  for (const AllowedInProgram& allowed : run.allowed.in_program) {
    const std::size_t more = allowed.places.size() - 1;
    report.notes.push_back(with_name(
        run.run.name,
        fmt::format("{} in judged steps let pass by the program itself, since \"{}\": {}{}",
                    counted(allowed.waits, "wait"), allowed.reason, allowed.places.front(),
                    more > 0 ? fmt::format(" and {}", counted(std::ssize(allowed.places) - 1, "more place")) : "")));
  }
}

bool is_outside(const Budget& budget) { return budget.scope.part == Scope::Part::outside; }

// What holds of a whole process, once, rather than budget by budget.
void add_doubts(const Policy& policy, std::span<const JudgedRun> runs, CheckReport& report) {
  for (const JudgedRun& run : runs) {
    const bool asks_for_steps = policy.budgets.empty() || !run.summary().has_cuda_calls ||
                                !std::all_of(policy.budgets.begin(), policy.budgets.end(), is_outside);
    for (const std::string& text : run.doubts.hopeless)
      if (asks_for_steps) add_doubt(report, run.run.name, text);
    for (const std::string& text : run.doubts.partial) add_doubt(report, run.run.name, text);
    const auto& unreal = run.summary().unreal_readbacks;
    if (unreal.judged == 0) continue;
    std::vector<std::string> how;
    for (const auto& [text, count] : unreal.how) how.push_back(fmt::format("{} × {}", count, text));
    const std::string text = fmt::format(
        "{} in judged steps had no real value (simulated GPU: {}); waits behind branches on them were not seen",
        counted(unreal.judged, "read-back"), join(how, ", "));
    if (policy.unreal_is_cannot_tell)
      add_doubt(report, run.run.name, text);
    else
      report.notes.push_back(with_name(run.run.name, text));
  }
}

// Budgets that say no more than what was said of the whole process, or that nothing was found to apply to.
void add_scope_doubts(const Policy& policy, bool has_baseline, CheckReport& report) {
  for (const Budget& budget : policy.budgets) {
    if (budget.level == Level::off) continue;
    const auto of_it = [&](const BudgetResult& r) { return r.applies && describe(r.budget) == describe(budget); };
    if (std::any_of(report.budgets.begin(), report.budgets.end(), of_it)) continue;
    if (budget.scope.rank && !report.checked.empty())
      add_doubt(report, "",
                fmt::format("{}: no process of rank {} in the recording", describe(budget), *budget.scope.rank));
    else if (!report.checked.empty())
      report.notes.push_back(fmt::format("{}: not judged on this device", describe(budget)));
  }
  const auto applies = [](const BudgetResult& r) { return r.applies; };
  const bool any = std::any_of(report.budgets.begin(), report.budgets.end(), applies);
  if (!policy.budgets.empty() && !any && !has_baseline && !report.checked.empty())
    add_doubt(report, "", "no limit of the policy is about this run: all are off, or for other devices or ranks");
}

// Errors first, then warnings; violations before what cannot be told.
void order(CheckReport& report) {
  const auto key = [](const Finding& f) {
    return std::pair(f.level != Level::error, f.kind == FindingKind::cannot_tell);
  };
  std::stable_sort(report.findings.begin(), report.findings.end(),
                   [&](const Finding& a, const Finding& b) { return key(a) < key(b); });
}

bool is_violation(FindingKind kind) {
  return kind == FindingKind::budget || kind == FindingKind::baseline || kind == FindingKind::improved ||
         kind == FindingKind::allowance_expired;
}

void conclude(const Policy& policy, CheckReport& report) {
  std::set<std::string> said;
  for (const Finding& finding : report.findings) {
    if (finding.level != Level::error) continue;
    const Verdict verdict = is_violation(finding.kind) ? Verdict::violation : Verdict::cannot_tell;
    std::string text = with_name(finding.run, finding.text);
    if (said.insert(text).second) report.reasons.push_back({verdict, std::move(text)});
  }
  const auto any = [&](Verdict verdict) {
    return std::any_of(report.reasons.begin(), report.reasons.end(), [&](auto& r) { return r.verdict == verdict; });
  };
  report.verdict = any(Verdict::violation)     ? Verdict::violation
                   : any(Verdict::cannot_tell) ? Verdict::cannot_tell
                                               : Verdict::pass;
  report.exit_code = report.verdict == Verdict::pass        ? 0
                     : report.verdict == Verdict::violation ? 1
                     : policy.cannot_tell == Level::error   ? 3
                                                            : 0;
}

// A budget that cannot be judged for a reason that the whole process has is told with that.
void drop_repeated_doubts(std::span<const JudgedRun> runs, CheckReport& report) {
  const auto repeats = [&](const Finding& finding) {
    if (finding.kind != FindingKind::cannot_tell || !finding.budget) return false;
    const std::string& why = report.budgets[*finding.budget].why;
    return std::any_of(runs.begin(), runs.end(), [&](const JudgedRun& run) {
      const auto has = [&](const auto& texts) { return std::find(texts.begin(), texts.end(), why) != texts.end(); };
      return run.run.name == finding.run && (has(run.doubts.hopeless) || has(run.doubts.partial));
    });
  };
  std::erase_if(report.findings, repeats);
}

// A baseline is of one run: where there are several, each is judged by itself, and what they have in common told once.
void judge_run_by_run(const Policy& policy, const Baseline& baseline, std::span<const CheckedRun> runs,
                      std::span<const AllowedWaits> allowed, CheckReport& report) {
  std::map<std::string, std::size_t> seen;
  std::vector<std::vector<CheckedRun>> rounds(runs.empty() ? 1 : 0);
  std::vector<std::vector<AllowedWaits>> allowed_in(rounds.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::size_t round = seen[runs[i].name]++;
    if (round == rounds.size()) rounds.emplace_back(), allowed_in.emplace_back();
    rounds[round].push_back(runs[i]);
    allowed_in[round].push_back(allowed[i]);
  }
  const std::size_t first = report.findings.size();
  for (std::size_t round = 0; round < rounds.size(); ++round)
    judge_baseline(policy, baseline, rounds[round], allowed_in[round], report);
  std::set<std::string> told;
  const auto again = [&](const Finding& f) { return !told.insert(f.run + '\n' + f.text).second; };
  report.findings.erase(std::remove_if(report.findings.begin() + std::ptrdiff_t(first), report.findings.end(), again),
                        report.findings.end());
  std::set<std::string> shown;
  std::erase_if(report.compared, [&](const BeforeAfter& r) {
    return !shown.insert(fmt::format("{}\n{}\n{}", r.run, r.name, r.after.value_or(-1))).second;
  });
}

}  // namespace

std::string_view name_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::budget:
      return "budget";
    case FindingKind::baseline:
      return "baseline";
    case FindingKind::improved:
      return "improved";
    case FindingKind::allowance_expired:
      return "allowance-expired";
    case FindingKind::allowance_expiring:
      return "allowance-expiring";
    case FindingKind::allowance_unused:
      return "allowance-unused";
    case FindingKind::cannot_tell:
      break;
  }
  return "cannot-tell";
}

CheckReport check(const Policy& policy, std::span<const CheckedRun> runs, const Baseline* baseline, const Date& today,
                  std::span<const CheckedRun> before, std::span<const std::string> problems) {
  CheckReport report;
  report.policy = policy.file;
  std::vector<Doubts> doubts;
  std::vector<AllowedWaits> allowed;
  for (const CheckedRun& run : runs) {
    doubts.push_back(doubts_of(*run.summary, std::max(policy.run.fewest_steps, kFewestJudgedSteps), policy.run.steps));
    gate::doubt_idle_steps(*run.summary, doubts.back());
    allowed.push_back(apply_allowances(*run.summary, policy.allow, today));
  }
  std::vector<JudgedRun> judged;
  for (std::size_t i = 0; i < runs.size(); ++i) judged.push_back({runs[i], allowed[i], doubts[i]});
  if (runs.empty() && problems.empty()) add_doubt(report, "", "nothing was recorded: the program never used CUDA");
  for (const std::string& problem : problems) add_doubt(report, "", problem);
  if (policy.budgets.empty() && baseline == nullptr)
    add_doubt(report, "", "there is nothing to check: the policy has no [budget], and there is no baseline");
  for (const JudgedRun& run : judged) {
    report.checked.push_back(facts_of(run));
    tell_allowed_in_program(run, report);
    gate::SameProcess same;
    for (const JudgedRun& other : judged)
      if (other.run.name == run.run.name) same.now.push_back(&other);
    for (const CheckedRun& other : before)
      if (other.name == run.run.name) same.before.push_back(other.summary);
    for (const Budget& budget : policy.budgets)
      report.budgets.push_back(gate::judge_budget(run, budget, same, policy.least_effect_ns));
  }
  add_doubts(policy, judged, report);
  add_scope_doubts(policy, baseline != nullptr, report);
  for (const JudgedRun& run : judged) gate::look_beside(policy, run, report);
  gate::add_budget_findings(judged, policy.allow, report);
  drop_repeated_doubts(judged, report);
  if (baseline != nullptr) judge_run_by_run(policy, *baseline, runs, allowed, report);
  gate::add_allowance_findings(judged, policy.allow, today, report);
  order(report);
  conclude(policy, report);
  return report;
}

}  // namespace zerostall
