// What the files of `check` share.
#pragma once
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "profiler/cli/options.h"
#include "profiler/cli/outcome.h"
#include "profiler/cli/outputs.h"
#include "profiler/cli/recorded_run.h"
#include "profiler/cli/report_page.h"
#include "profiler/gate/baseline.h"
#include "profiler/gate/check.h"

namespace zerostall::cli {

RecordingOptions recording_options(const Policy& policy);
RecorderSettings recorder_settings(const Policy& policy);

// The processes of one run as the gate takes them; the only one has no name. They live as long as `processes` do.
std::vector<CheckedRun> checked(const std::vector<NamedRun>& processes);

// Why some of it is missing.
std::vector<std::string> problems_of(const RecordedRun& run);

Date today();

// Writes and prints what there is to say. `timelines`: for the page, of runs on both sides.
Outcome conclude_check(const CheckReport& report, std::span<const CheckedRun> runs, std::span<const CheckedRun> before,
                       const Timelines& timelines, const Outputs& outputs);

// Whether a page is made, and so timelines are.
inline bool wants_page(const CheckOptions& options) { return asks_for(options.outputs, "html"); }

inline bool is_two_sided(const CheckOptions& options) { return !options.before.empty() || !options.before_rev.empty(); }

// Runs both sides in turns, and judges the second against the first.
Outcome check_sides(const CheckOptions& options, const Policy& policy, const Outputs& outputs);

}  // namespace zerostall::cli
