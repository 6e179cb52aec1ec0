// `zerostall verify --all`: several jobs of `verify` as one table.
#pragma once
#include <string>
#include <vector>

#include "reports/verify_report.h"

namespace zerostall {

struct VerifyAllReport {
  std::vector<VerifyReport> jobs;
};

// The worst of all jobs; of none: cannot tell.
Verdict verdict_of(const VerifyAllReport& report);

// "flux2 klein-9b resume=on".
std::string job_name(const VerifyPlan& plan);

// A line per job and setting with the host waits of each region and of the whole step, then what is wrong, then the
// verdict.
std::string render_verify_all_text(const VerifyAllReport& report);

// {"schema": "zerostall/verify-all/1", "verdict", "jobs": [ each as zerostall/verify/1 ]}.
std::string render_verify_all_json(const VerifyAllReport& report);

std::string render_verify_all_markdown(const VerifyAllReport& report);

// One suite, a test case per job and setting.
std::string render_verify_all_junit(const VerifyAllReport& report);

}  // namespace zerostall
