// `zerostall check` as a GitLab code quality report (artifacts: reports: codequality), the subset of Code Climate's
// format that GitLab reads: an array of issues.
#pragma once
#include <string>

#include "profiler/gate/check.h"

namespace zerostall {

// One issue per finding: `fingerprint` is the same for the same finding in another run, whatever its line and counts,
// and unique in the file; severity critical (a violation), major (cannot tell), minor (a warning), info. GitLab wants a
// file for each: a finding without one is shown at the policy, or at zerostall.toml where there is none. Findings
// beyond kMostFindings are summed up in a last issue. Ends in a newline; no findings give "[]".
std::string render_check_gitlab(const CheckReport& report);

}  // namespace zerostall
