// Calls that take or give back memory, for a person: they may wait for the GPU, and are in no total.
#pragma once
#include <string>

#include "profiler/analyze/summary.h"

namespace zerostall {

// Where the judged steps make such calls, and what to do about it; "" = nowhere. `all`: every place, however many.
std::string render_implicit_sites(const RunSummary& run, bool all = false);

}  // namespace zerostall
