// What is to be known of a run beside its figures.
#pragma once
#include <string>

#include "profiler/analyze/summary.h"

namespace zerostall {

// A line each: what is incomplete, guessed, unknown or was repaired, and how to mark steps. Begins with an empty line
// where there is anything.
std::string notes_of(const RunSummary& run);

}  // namespace zerostall
