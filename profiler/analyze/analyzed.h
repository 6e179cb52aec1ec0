// Stages 2 to 7 in a row, for who needs more than the summary.
#pragma once
#include <vector>

#include "profiler/analyze/summary.h"

namespace zerostall {

// Movable: what refers to texts of the trace stays valid.
struct Analyzed {
  Trace trace;
  Steps steps;
  std::vector<Wait> waits;
  RunSummary run;
};

// `run` is what `analyze` gives.
Analyzed analyze_keeping(RawTrace raw, const SummaryOptions& options, const StepOptions& step_options = {});

}  // namespace zerostall
