// What waits cost: metrics.md, "Time".
#pragma once
#include <optional>
#include <vector>

#include "profiler/analyze/gpu_gaps.h"
#include "profiler/analyze/steps.h"
#include "profiler/analyze/waits.h"

namespace zerostall {

// The parts of a wait with an upload, in this order; together its length. Of a staged one all is return.
struct UploadTimes {
  Nanos stream_ns = 0;    // until the transfer began: the stream had other work, or the host was not ready
  Nanos transfer_ns = 0;  // of the transfer, what lay within the wait
  Nanos return_ns = 0;
};

struct WaitCost {
  Nanos effective_ns = 0;  // of the wait's length, what it had to wait; the rest is overhead. 0 of a staged upload
  Nanos bubble_ns = 0;     // idle time of devices that is charged to it, in steps and outside
  Nanos avoidable_ns = 0;  // of that, what would not be, had this one call not blocked and all else stayed
  std::optional<UploadTimes> upload;  // of waits with an upload; nullopt there: its record is missing or has bad times
};

// Idle time inside a step, of all devices together: each from the step of its first work to that of its last.
struct IdleTime {
  Nanos bubbles_ns = 0;     // charged to waits
  Nanos avoidable_ns = 0;   // of that, what could have been avoided, wait by wait
  Nanos host_bound_ns = 0;  // the next launch came late or not at all, and no wait is to blame
  Nanos dependency_ns = 0;  // the next work had been launched: it waited for other work, or for the device
  Nanos unknown_ns = 0;     // when the next work was launched is not in the trace
  bool operator==(const IdleTime&) const = default;
};

struct WaitCosts {
  std::vector<WaitCost> waits;  // one per wait, in their order; those that are no host waits have none
  std::vector<IdleTime> steps;  // one per step
  IdleTime outside;
  Nanos launch_latency_ns = 0;  // 5th percentile of launch to start on an idle stream
};

// Total. Nullopt where GPU records are missing (what looks idle may have been busy), or where there is no GPU work.
// Gaps and whom they are charged to: find_gpu_gaps. Of a gap in which one wait follows another the last is charged, and
// what is avoidable counts on the others to stay as they were: where they then would have had to wait instead, less is
// gained until they go too.
std::optional<WaitCosts> cost_of_waits(const Trace& trace, const Steps& steps, const std::vector<Wait>& waits);

}  // namespace zerostall
