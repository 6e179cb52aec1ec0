// `zerostall report A [B] -o report.html`, and the same page for commands that judge.
#pragma once
#include <span>
#include <string>

#include "profiler/cli/options.h"
#include "profiler/cli/outcome.h"
#include "profiler/cli/report_page.h"
#include "profiler/gate/check.h"
#include "profiler/gate/verify.h"

namespace zerostall::cli {

// To a file that appears whole or not at all, or to standard output.
Outcome run_report(const ReportArguments& options);

// What `check` judged; of several processes the one that waits most is shown in full. `before`: of both sides.
std::string html_of_check(const CheckReport& report, std::span<const CheckedRun> runs,
                          std::span<const CheckedRun> before, const Timelines& timelines);

// The run without fixes against the one with all of them. `timelines`: those of the first and the last run; empty ones
// are left out.
struct VerifyTimelines {
  TimelineBlob first, last;
};
std::string html_of_verify(const VerifyReport& report, const VerifyTimelines& timelines);

}  // namespace zerostall::cli
