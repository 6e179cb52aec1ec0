// Parts of `zerostall stat` that are about steps.
#pragma once
#include <string>

#include "reports/stat_view.h"

namespace zerostall {

// The first screen's: equal neighbours share a line; then what is outside of steps, and the figures per judged step, by
// region too. "" of a trace of which nothing was read.
std::string steps_overview(const RunSummary& run, const StatView& view);

// One row per step, with its time and why the GPU was idle in it.
std::string steps_table(const RunSummary& run, const StatView& view);

// "GPU idle per judged step: ...", the median of the judged steps, part by part; "" where it is not known.
std::string gpu_idle_line(const RunSummary& run);

// Of a run whose judged steps (or which, without any) hold no wait: what was watched, and what waits elsewhere. Else
// "".
std::string zero_waits_lines(const RunSummary& run);

// "not in the totals: ...", with the time of implicit calls where it is a noticeable part of a step; "" = nothing.
std::string apart_line(const RunSummary& run);

}  // namespace zerostall
