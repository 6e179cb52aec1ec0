// The timeline of a process, small enough to travel inside a page: columns of numbers, deflated, as base64. Read by
// assets/timeline_data.js; layout in timeline_blob.cpp.
#pragma once
#include <cstdint>
#include <string>

#include "profiler/analyze/summary.h"
#include "profiler/analyze/wait_costs.h"

namespace zerostall {

struct TimelineBlob {
  std::string base64;         // "" = there is none: the trace is empty
  std::int64_t slices = 0;    // that are in it
  std::int64_t left_out = 0;  // that were not: beyond `at_most`, those far from judged steps and waits first
  std::string why{};          // one line of what was left out and why; "" = nothing
};

// All of one process; `summary` of the whole run or of a region of it.
struct TimelineSource {
  const Trace* trace = nullptr;
  const Steps* steps = nullptr;
  const std::vector<Wait>* waits = nullptr;
  const RunSummary* summary = nullptr;
};

// `at_most`: of `base64`. Steps, waits, and idle times of the GPU that a wait is to blame for are always in it, even
// beyond that. Of the rest whole steps are kept where possible: those around a judged step of median length, then what
// is near waits, then other judged steps. Total; linear but for sorting.
TimelineBlob make_timeline_blob(const TimelineSource& source, Bytes at_most);

}  // namespace zerostall
