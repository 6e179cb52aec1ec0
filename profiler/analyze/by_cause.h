// The same waits by why they happen.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "profiler/analyze/counters.h"
#include "profiler/analyze/sites.h"

namespace zerostall {

struct StepRow;

struct CauseRow {
  CauseKind kind = CauseKind::unknown;
  std::int64_t places = 0;             // sites with this cause
  std::int64_t count = 0;              // host waits in the whole trace
  std::int64_t judged = 0;             // in judged steps
  std::optional<Spread> per_step;      // over judged steps; nullopt without any
  std::optional<std::int64_t> drains;  // of all; nullopt = not known
  Nanos blocked_ns = 0;                // in all of them
  std::optional<Nanos> avoidable_ns;   // idle time of the GPU, of all of them; nullopt = not known
};

// The sites summed by class of cause, in the order in which the first site of each class comes. `steps`: those whose
// waits stand at these sites.
std::vector<CauseRow> sum_causes(const std::vector<Site>& sites, const std::vector<StepRow>& steps);

}  // namespace zerostall
