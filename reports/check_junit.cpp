#include "reports/check_junit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "profiler/analyze/causes.h"
#include "reports/check_words.h"
#include "reports/junit.h"

namespace zerostall {
namespace {

constexpr std::size_t kMostCases = 10'000;
constexpr std::size_t kMostLines = 50;  // in one case

// A finding with what to do about it.
void add_lines(const Finding& finding, std::vector<std::string>& lines) {
  lines.push_back((finding.level == Level::error ? "" : "warning: ") + inert(finding.text));
  if (!finding.site || finding.kind == FindingKind::improved) return;
  const CauseInfo& cause = info_of(finding.site->cause);
  lines.push_back(fmt::format("  {}: {} - {}", cause.slug, cause.title, cause.advice));
}

JunitResult cannot_tell_of(const CheckReport& report) {
  const bool lets_pass = report.verdict == Verdict::cannot_tell && report.exit_code == 0;
  return lets_pass ? JunitResult::skipped : JunitResult::error;
}

// `findings`: those of this budget.
JunitCase case_of(const CheckReport& report, const BudgetResult& result, const std::vector<const Finding*>& findings) {
  JunitCase one{result.run, inert(describe(result.budget)), JunitResult::passed, describe(result), {}};
  const bool warning = result.budget.level == Level::warn;
  if (!result.applies || result.budget.level == Level::off) {
    one.result = JunitResult::skipped;
  } else if (result.verdict == Verdict::cannot_tell) {
    one.result = warning ? JunitResult::skipped : cannot_tell_of(report);
  } else if (result.verdict == Verdict::violation) {
    if (!warning) one.result = JunitResult::failure;
    for (const Finding* finding : findings)
      if (one.lines.size() < kMostLines) add_lines(*finding, one.lines);
  } else {
    one.lines.push_back("found: " + one.message);
  }
  return one;
}

// Findings of some kinds, process by process, as one case each.
std::vector<JunitCase> cases_of(const CheckReport& report, const std::string& name, bool (*is_of)(const Finding&),
                                bool even_if_empty) {
  std::map<std::string, JunitCase> by_run;
  if (even_if_empty)
    for (const CheckedFacts& facts : report.checked)
      by_run[facts.name] = {facts.name, name, JunitResult::passed, {}, {}};
  std::map<std::string, std::size_t> count;
  for (const Finding& finding : report.findings) {
    if (!is_of(finding)) continue;
    JunitCase& one =
        by_run.try_emplace(finding.run, JunitCase{finding.run, name, JunitResult::passed, {}, {}}).first->second;
    const bool error = finding.level == Level::error;
    if (error && one.result == JunitResult::passed) {
      one.result = JunitResult::failure;
      one.message = inert(finding.text);
    }
    if (++count[finding.run] > kMostLines) continue;
    add_lines(finding, one.lines);
  }
  std::vector<JunitCase> cases;
  for (auto& [run, one] : by_run) {
    if (count[run] > kMostLines) one.lines.push_back(left_out(count[run], kMostLines, "finding"));
    cases.push_back(std::move(one));
  }
  return cases;
}

// Whether it can be judged at all. The verdict of the whole file is that of the report, whatever its budgets say.
JunitCase recording_case(const CheckReport& report, bool has_failure) {
  JunitCase one{"", "the recording can be judged", JunitResult::passed, {}, {}};
  for (const Reason& reason : report.reasons) {
    if (reason.verdict != Verdict::cannot_tell) continue;
    if (one.message.empty()) one.message = inert(reason.text);
    if (one.lines.size() < kMostLines) one.lines.push_back(inert(reason.text));
  }
  if (report.verdict == Verdict::cannot_tell || !one.message.empty()) {
    one.result = cannot_tell_of(report);
    if (one.message.empty()) one.message = "nothing was judged";
    if (const auto advice = what_to_do(report); !advice.empty()) one.lines.push_back("to do: " + advice);
  } else if (report.verdict == Verdict::violation && !has_failure) {
    one.result = JunitResult::failure;
    one.message = headline(report);
  } else {
    for (const CheckedFacts& facts : report.checked)
      if (one.lines.size() < kMostLines) one.lines.push_back(describe(facts));
  }
  return one;
}

std::vector<JunitCase> all_cases(const CheckReport& report) {
  std::vector<JunitCase> cases;
  std::vector<std::vector<const Finding*>> of_budget(report.budgets.size());
  for (const Finding& finding : report.findings)
    if (finding.budget && *finding.budget < of_budget.size()) of_budget[*finding.budget].push_back(&finding);
  for (std::size_t i = 0; i < std::min(report.budgets.size(), kMostCases); ++i)
    cases.push_back(case_of(report, report.budgets[i], of_budget[i]));
  const auto add = [&](std::vector<JunitCase> more) { cases.insert(cases.end(), more.begin(), more.end()); };
  add(cases_of(
      report, "not worse than the baseline",
      [](const Finding& finding) {
        return finding.kind == FindingKind::baseline || finding.kind == FindingKind::improved;
      },
      !report.baseline.empty() && report.verdict != Verdict::cannot_tell));
  add(cases_of(
      report, "allowances hold",
      [](const Finding& finding) {
        return !finding.budget &&
               (finding.kind == FindingKind::allowance_expired || finding.kind == FindingKind::allowance_expiring ||
                finding.kind == FindingKind::allowance_unused);
      },
      false));
  const bool has_failure =
      std::any_of(cases.begin(), cases.end(), [](const JunitCase& one) { return one.result == JunitResult::failure; });
  cases.push_back(recording_case(report, has_failure));
  return cases;
}

}  // namespace

std::string render_check_junit(const CheckReport& report) {
  JunitSuite suite{"zerostall check", "zerostall", {}, all_cases(report)};
  suite.properties = {{"verdict", std::string(name_of(report.verdict))},
                      {"summary", headline(report)},
                      {"commit", report.commit},
                      {"device", report.checked.empty() ? "" : report.checked.front().device}};
  return render_junit(suite);
}

}  // namespace zerostall
