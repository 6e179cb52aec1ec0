// What waits cost: metrics.md, "Time".
#pragma once
#include <optional>
#include <vector>

#include "profiler/analyze/steps.h"
#include "profiler/analyze/waits.h"

namespace zerostall {

struct WaitCost {
  Nanos effective_ns = 0;  // of the wait's length, what it had to wait; the rest is overhead
  Nanos bubble_ns = 0;     // idle time of the device that is charged to it
  Nanos avoidable_ns = 0;  // of that, what would not be, had this one call not blocked
  Nanos h2d_stream_ns = 0, h2d_transfer_ns = 0, h2d_return_ns = 0;  // of waits with an upload: its parts, in this order
  bool staged = false;  // a pageable async upload that returned before its transfer began
};

// Idle time of a device inside a step.
struct IdleTime {
  Nanos bubbles_ns = 0;     // charged to waits
  Nanos host_bound_ns = 0;  // the next launch came late, and no wait is to blame
  Nanos dependency_ns = 0;  // the next work had been launched: it waited for other work, or for the device
};

struct WaitCosts {
  std::vector<WaitCost> waits;  // one per wait, in their order; those that are no host waits have none
  std::vector<IdleTime> steps;  // one per step
  IdleTime outside;
  Nanos launch_latency_ns = 0;  // lambda: 5th percentile of launch to start on an idle stream
};

// Nullopt where GPU records are missing: what looks idle may have been busy.
std::optional<WaitCosts> cost_of_waits(const Trace& trace, const Steps& steps, const std::vector<Wait>& waits);

}  // namespace zerostall
