// `zerostall check` as SARIF 2.1.0 (OASIS), for GitHub code scanning and other viewers.
#pragma once
#include <string>

#include "profiler/gate/check.h"

namespace zerostall {

// One run. A rule is a cause of waits with what to do about it, or a kind of finding without one; a result is a finding
// but those that cannot be told, which are notifications of the invocation. Results carry a partial fingerprint that
// does not change with lines and counts. Files are relative to %SRCROOT%, as stored, percent-encoded; results without
// a file have none. No command line, no folders, no source text. At most kMostFindings results; a notification says how
// many more there are. Ends in a newline.
std::string render_check_sarif(const CheckReport& report);

}  // namespace zerostall
