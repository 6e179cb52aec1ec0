// The timeline of a process, small enough to travel inside a page: columns of numbers, deflated, as base64. Read by
// assets/timeline.js; layout in timeline_blob.cpp.
#pragma once
#include <cstdint>
#include <string>

#include "profiler/analyze/summary.h"
#include "profiler/analyze/wait_costs.h"

namespace zerostall {

struct TimelineBlob {
  std::string base64;         // "" = there is none
  std::int64_t slices = 0;    // that are in it
  std::int64_t left_out = 0;  // that were not: beyond `at_most`, those far from judged steps and waits first
  std::string why{};          // one line of what was left out and why; "" = nothing
};

struct TimelineSource {
  const Trace* trace = nullptr;
  const Steps* steps = nullptr;
  const std::vector<Wait>* waits = nullptr;
  const RunSummary* summary = nullptr;
};

// `at_most`: of `base64`. Linear but for sorting. Steps and waits are always in it.
TimelineBlob make_timeline_blob(const TimelineSource& source, Bytes at_most);

}  // namespace zerostall
