// What the parts of `check` share; nobody else includes it.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "profiler/gate/allow.h"
#include "profiler/gate/check.h"
#include "profiler/gate/doubts.h"

namespace zerostall::gate {

// A process, and all that is known before any budget is looked at.
struct JudgedRun {
  const CheckedRun& run;
  const AllowedWaits& allowed;
  const Doubts& doubts;
  const RunSummary& summary() const { return *run.summary; }
};

// Figures of one metric in one scope, by judged step; nullopt = unknown. What is allowed is not in them.
struct StepFigures {
  std::vector<Count> values;
  std::vector<const StepRow*> steps;
  std::vector<std::size_t> positions;  // in RunSummary::steps
};
StepFigures figures_of(const JudgedRun& run, const Budget& budget);

// Whether a wait of a step is of a region, cause and site; both as positions.
bool counts_in(const JudgedRun& run, const Scope& scope, std::size_t step, std::size_t wait);

// Places with most waits first; those without a share in the metric are left out.
std::vector<SiteAtFault> sites_at_fault(const JudgedRun& run, const Budget& budget, std::span<const std::size_t> steps);
SiteAtFault at_fault(const Site& site, std::int64_t waits);

// The same process of several runs.
struct SameProcess {
  std::vector<const JudgedRun*> now;      // at least the one that is judged
  std::vector<const RunSummary*> before;  // of the runs to compare with
};

// Of times: only where measured and significant, of all runs together.
void judge_time(const SameProcess& runs, const Budget& budget, Nanos least_effect, BudgetResult& result);

// Of times only the first of several runs has a result: it is that of all; the others do not apply.
BudgetResult judge_budget(const JudgedRun& run, const Budget& budget, const SameProcess& same, Nanos least_effect);

std::string with_name(const std::string& run, const std::string& text);
Finding& add_finding(CheckReport& report, FindingKind kind, const std::string& run, std::string text);
void add_doubt(CheckReport& report, const std::string& run, std::string text);

// Steps in which nothing runs on the GPU: nothing can be told of them.
void doubt_idle_steps(const RunSummary& run, Doubts& doubts);

// Waits that no budget on steps sees: beside the steps, in a region that is not in each, at places that are not known.
void look_beside(const Policy& policy, const JudgedRun& run, CheckReport& report);

// Broken and doubtful budgets, and what there is to say about allowances, as findings and suggestions of the report.
void add_budget_findings(std::span<const JudgedRun> runs, std::span<const Allowance> allow, CheckReport& report);
void add_allowance_findings(std::span<const JudgedRun> runs, std::span<const Allowance> allow, const Date& today,
                            CheckReport& report);

}  // namespace zerostall::gate
