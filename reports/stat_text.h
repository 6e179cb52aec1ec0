// `zerostall stat` for a person.
#pragma once
#include <string>
#include <vector>

#include "reports/named_run.h"
#include "reports/stat_view.h"

namespace zerostall {

// Header, then the first screen (steps, what the GPU was idle for, places and causes) or the chosen tables, then notes.
// Ends in a newline. Any summary renders, one without steps too.
std::string render_stat_text(const RunSummary& run, const StatView& view = {});

}  // namespace zerostall
