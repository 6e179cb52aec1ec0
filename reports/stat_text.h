// `zerostall stat` for a person.
#pragma once
#include <string>
#include <vector>

#include "reports/named_run.h"

namespace zerostall {

// Header, table of steps (equal neighbours share a line), per step over judged steps, regions, calls, copies, oddities.
// Ends in a newline. Any summary renders, one without steps too.
std::string render_stat_text(const RunSummary& run, bool verbose = false);

}  // namespace zerostall
