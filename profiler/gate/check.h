// Stage 8 of the route, for `zerostall check`: does a recording keep to a policy? A pure function; its result is all
// that the writers for terminals and CI systems read (reports/check_*.h). Verdicts: metrics.md.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiler/analyze/summary.h"
#include "profiler/gate/allow.h"
#include "profiler/gate/policy.h"
#include "profiler/gate/verdict.h"

namespace zerostall {

struct Baseline;

// A process of the recording that is judged.
struct CheckedRun {
  std::string name;  // "rank0"; "" = it is the only one
  const RunSummary* summary = nullptr;
};

// A place to look at, of those that break a rule.
struct SiteAtFault {
  std::string id;     // Site::id
  std::string place;  // Site::place
  std::string file;   // as stored, relative to its project; "" = not known
  std::uint32_t line = 0;
  std::string function;
  std::string what;  // kind of wait
  CauseKind cause = CauseKind::unknown;
  std::int64_t waits = 0;  // in the step (window, run) that breaks the rule
};

// One budget, on one process.
struct BudgetResult {
  Budget budget;
  std::string run;                     // CheckedRun::name
  Verdict verdict = Verdict::pass;     // as if its level were `error`
  std::optional<std::int64_t> actual;  // what was limited; nullopt = unknown. Of a broken one the figure that breaks it
  std::optional<std::int64_t> step;    // number of the first step that breaks it (of a window: its first)
  std::int64_t steps_over = 0;         // judged steps beyond the limit, of Statistic::max
  std::vector<SiteAtFault> sites;      // of that step, those with most waits first
  std::string why;                     // of cannot-tell; of times also what a pass or a violation rests on
  bool more_runs_help = false;         // of times: too few steps, or more than the limit but not significantly
  bool applies = true;                 // false: another device or rank than it is for
};

enum class FindingKind : std::uint8_t {
  budget,             // a budget is exceeded
  baseline,           // more waits than the baseline has, or a place it does not know
  improved,           // fewer
  allowance_expired,  // a wait that was let pass until a day that has come
  allowance_expiring,
  allowance_unused,
  cannot_tell,
};
std::string_view name_of(FindingKind kind);  // "budget", "allowance-expired"

// Something to tell, at a place where there is one. One of them per place and rule: what annotations, JUnit, SARIF
// show.
struct Finding {
  FindingKind kind = FindingKind::budget;
  Level level = Level::error;  // never off
  std::string text;            // one line: "2 waits per step, at most 0 allowed: train.py:31 in step (scalar-read)"
  std::string place;           // the end of `text`, where that is a place: others of the same budget differ in it alone
  std::string run;             // CheckedRun::name
  std::optional<std::size_t> budget;  // position in CheckReport::budgets
  std::optional<SiteAtFault> site;
  std::uint32_t policy_line = 0;  // of findings about the policy itself
};

// A figure before (in the baseline) and now.
struct BeforeAfter {
  std::string run;
  std::string name;  // "waits per step", "stream syncs per step in region train"
  std::optional<std::int64_t> before, after;
};

// What was looked at, for a verdict that says so.
struct CheckedFacts {
  std::string name;    // CheckedRun::name
  std::string trace;   // as the user named it
  std::string device;  // "simulated H200"
  bool modelled = false;
  std::string steps_from;
  std::int64_t steps = 0, judged = 0, warmup = 0;
  std::optional<std::int64_t> most_waits;              // per judged step
  std::int64_t allowed = 0;                            // waits let pass in judged steps, by policy and program
  std::vector<AllowedInProgram> allowed_in_program{};  // of them, by the program
  std::int64_t outside = 0, background = 0;            // host waits, not limited unless a budget says so
  std::int64_t unreal_readbacks = 0;                   // in judged steps
};

struct CheckReport {
  Verdict verdict = Verdict::cannot_tell;
  int exit_code = 3;            // as the policy wants it
  std::vector<Reason> reasons;  // violations first; empty for a pass
  std::vector<std::string> notes;
  std::vector<CheckedFacts> checked;  // by process
  std::vector<BudgetResult> budgets;  // by process, in the policy's order
  std::vector<Finding> findings;      // errors first, then warnings; stable
  std::vector<BeforeAfter> compared;  // with a baseline
  std::string baseline;               // its file or trace; "" = none
  std::vector<Allowance> suggested;   // what would let the violations pass, for people to complete with a reason
  std::string policy;                 // file; "" = options
  std::string command;                // that reproduces the check, ready for a shell; "" = not known
  std::string commit;                 // of the revision that is judged; "" = not known
};

// `runs` may be empty (nothing used CUDA): cannot tell. `baseline`: null = none. `before`: processes of runs of the
// same program before a change, on the same machine, for limits on what got slower; several runs have processes of the
// same name. `problems`: why some of what was recorded is missing; with any nothing passes. Total.
CheckReport check(const Policy& policy, std::span<const CheckedRun> runs, const Baseline* baseline, const Date& today,
                  std::span<const CheckedRun> before = {}, std::span<const std::string> problems = {});

}  // namespace zerostall
