// `zerostall check` as JUnit XML, in the form that Jenkins' xUnit plugin describes (junit-10.xsd) and GitLab, GitHub
// actions and Buildkite read.
#pragma once
#include <string>

#include "profiler/gate/check.h"

namespace zerostall {

// A test suite with a test case for each budget and process, one per process for the baseline, one for the allowances
// where they are part of the verdict, and always one for the recording itself. A violation is a <failure>, what cannot
// be told an <error> (<skipped> where the policy lets it pass), what is off or for other devices <skipped>; warnings
// are <system-out> of a case that passed. No times: a check has none. Characters that XML 1.0 cannot hold are written
// as escapes ("\x1b"). Ends in a newline.
std::string render_check_junit(const CheckReport& report);

}  // namespace zerostall
