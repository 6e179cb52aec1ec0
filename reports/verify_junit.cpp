#include <algorithm>

#include "reports/junit.h"
#include "reports/verify_all_report.h"

namespace zerostall {
namespace {

// Reasons begin with the setting that they are of; those of none are of all.
bool is_of(const Reason& reason, const VerifyRun& run) {
  return reason.text.starts_with(setting_name(run.fixes) + " ") ||
         reason.text.starts_with(setting_name(run.fixes) + ":");
}

void add(const Reason& reason, JunitCase& one) {
  const bool violation = reason.verdict == Verdict::violation;
  if (one.message.empty() || (violation && one.result != JunitResult::failure)) one.message = reason.text;
  if (one.result != JunitResult::failure) one.result = violation ? JunitResult::failure : JunitResult::error;
  one.lines.push_back(reason.text);
}

// A case per setting, and one for what is of all of them.
void add_cases(const VerifyReport& report, const std::string& name, std::vector<JunitCase>& cases) {
  const std::size_t first = cases.size();
  for (const VerifyRun& run : report.runs) cases.push_back({name, setting_name(run.fixes), {}, {}, {}});
  JunitCase all{name, "all settings together", {}, {}, {}};
  // "bn-pinning" is the beginning of "bn-pinning + async-loss": the longest name that fits is the one.
  for (const Reason& reason : report.judgement.reasons) {
    std::size_t best = report.runs.size(), length = 0;
    for (std::size_t i = 0; i < report.runs.size(); ++i)
      if (const std::size_t n = setting_name(report.runs[i].fixes).size(); is_of(reason, report.runs[i]) && n > length)
        best = i, length = n;
    add(reason, best < report.runs.size() ? cases[first + best] : all);
  }
  all.lines.insert(all.lines.end(), report.judgement.notes.begin(), report.judgement.notes.end());
  cases.push_back(std::move(all));
}

}  // namespace

std::string render_verify_junit(const VerifyReport& report) {
  const VerifyPlan& plan = report.plan;
  JunitSuite suite{"zerostall verify " + plan.scenario, "zerostall.verify." + plan.scenario, {}, {}};
  suite.properties = {
      {"verdict", std::string(name_of(report.judgement.verdict))}, {"size", plan.size}, {"device", plan.device_title}};
  add_cases(report, plan.size, suite.cases);
  return render_junit(suite);
}

std::string render_verify_all_junit(const VerifyAllReport& report) {
  JunitSuite suite{"zerostall verify --all", "zerostall.verify", {}, {}};
  suite.properties = {{"verdict", std::string(name_of(verdict_of(report)))}};
  for (const VerifyReport& job : report.jobs) add_cases(job, job_name(job.plan), suite.cases);
  return render_junit(suite);
}

}  // namespace zerostall
