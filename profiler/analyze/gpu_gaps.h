// When a device had nothing to do, and what can be said about why. No charge yet: a gap names the wait in which the
// device ran dry, where there is one.
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "profiler/analyze/steps.h"
#include "profiler/analyze/waits.h"

namespace zerostall {

enum class GapCause : std::uint8_t {
  after_wait,   // the device ran dry while a host wait was under way, and the wait returned into the gap
  late_launch,  // the next work was launched after the device ran dry
  queued,       // the next work had been launched before: it waited for other work or for the device itself
  no_more_work,
  unknown,  // when the next work was launched is not in the trace
};
std::string_view name_of(GapCause cause);  // "after_wait"

struct GpuGap {
  Nanos begin_ns = 0;
  Nanos end_ns = 0;  // after begin_ns
  std::uint32_t device = 0;
  GapCause cause = GapCause::late_launch;
  std::optional<std::size_t> step;  // position in Steps::steps; a gap is cut at the ends of steps
  std::optional<std::size_t> wait;  // position in the list of waits, of `after_wait`
};

// By device, then by begin: from a device's first work (or the first step, where that is earlier) to its last work (or
// the last step's end), within what was recorded. Left out: gaps of less than 5 us between pieces of queued work, which
// are the device's own. Nullopt where records of GPU work are missing: what looks idle may have been busy.
std::optional<std::vector<GpuGap>> find_gpu_gaps(const Trace& trace, const Steps& steps,
                                                 const std::vector<Wait>& waits);

}  // namespace zerostall
