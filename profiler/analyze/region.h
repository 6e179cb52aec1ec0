// A run as if one region of its steps were all that there is.
#pragma once
#include <optional>
#include <string_view>

#include "profiler/analyze/summary.h"

namespace zerostall {

// Nullopt where no step has a region of that name. Of the whole run stay what it is and how complete, and begin and end
// of each step. Counters, waits, sites and causes are those of the region: a site counts what waits in it, and goes
// where nothing does. There is nothing beside or outside of steps. Not told, and empty, is what is known of the whole
// trace only: idle times of the GPU, calls, copies, stacks, threads and streams.
std::optional<RunSummary> in_region(const RunSummary& run, std::string_view region);

}  // namespace zerostall
