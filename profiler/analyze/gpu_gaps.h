// When a device had nothing to do, why, and which wait is to blame. The one place where idle time is charged: each gap
// to one wait or to none. Definitions: metrics.md, "Time".
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "profiler/analyze/steps.h"
#include "profiler/analyze/waits.h"

namespace zerostall {

enum class GapCause : std::uint8_t {
  after_wait,   // a bubble: the last wait of the thread that launched the next work held that launch back; or the next
                // work is the transfer of a blocking upload, which the host was still copying to where the device reads
  late_launch,  // the next work was launched too late for a device without gaps, and no wait is to blame
  queued,       // it had been launched a launch latency before: it waited for other work or for the device itself
  no_more_work,
  unknown,  // when the next work was launched is not in the trace
};
std::string_view name_of(GapCause cause);  // "after_wait"

// A gap, or the part of it that lies in one step.
struct GpuGap {
  Nanos begin_ns = 0;
  Nanos end_ns = 0;        // after begin_ns
  Nanos avoidable_ns = 0;  // at its end: what would not be idle, had the wait not blocked and all else stayed
  std::uint32_t device = 0;
  GapCause cause = GapCause::late_launch;
  std::optional<std::size_t> step;  // position in Steps::steps; a gap is cut at the ends of steps
  std::optional<std::size_t> wait;  // position in the list of waits, of `after_wait`
};

struct GpuGaps {
  // By device, then by begin, from a device's first work to its last, within what was recorded; the steps of the first
  // and of the last work are looked at as a whole. All work of one graph launch is one piece, so that nothing in it is
  // a gap.
  std::vector<GpuGap> gaps;
  Nanos launch_latency_ns = 0;  // 5th percentile of the time from launch to start on an idle stream
};

inline constexpr Nanos kOwnGapNs = 5'000;

// A gap between pieces of queued work that is shorter than `shortest_queued_ns` is left out: by default those that are
// the device's own. A wait is to blame when it had something to wait for, returned no sooner than the device ran dry,
// and was the last on its thread before that thread launched what ended the gap. Work with bad times is left out.
// Nullopt where records of GPU work are missing: what looks idle may have been busy.
std::optional<GpuGaps> find_gpu_gaps(const Trace& trace, const Steps& steps, const std::vector<Wait>& waits,
                                     Nanos shortest_queued_ns = kOwnGapNs);

}  // namespace zerostall
