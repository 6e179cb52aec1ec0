// What `zerostall stat` says beside its table of places that wait.
#pragma once
#include <string>

#include "profiler/analyze/summary.h"
#include "reports/text_style.h"

namespace zerostall {

// Where the judged steps make calls that take or give back memory, which may wait for the GPU and are in no total, and
// what to do about it; "" = nowhere. `all`: every place, however many.
std::string render_implicit_sites(const RunSummary& run, const TextStyle& style = {}, bool all = false);

// How to get lines of Python, where none of the places is one; "" = some are, or there are no places.
std::string how_to_get_lines(const RunSummary& run);

}  // namespace zerostall
