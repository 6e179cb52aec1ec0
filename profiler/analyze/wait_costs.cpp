#include "profiler/analyze/wait_costs.h"

#include <algorithm>

#include "profiler/analyze/transfers.h"

namespace zerostall {
namespace {

Nanos effective_wait(const Wait& wait) {
  if (!wait.work_end_ns) return 0;
  return std::max<Nanos>(0, std::min(wait.end_ns, *wait.work_end_ns) - wait.begin_ns);
}

std::optional<UploadTimes> upload_times(const Wait& wait, const Transfers& transfers) {
  if (!wait.host_to_device) return std::nullopt;
  const auto transfer = transfers.of(wait.copy);
  if (!transfer) return std::nullopt;
  if (wait.staged) return UploadTimes{0, 0, wait.end_ns - wait.begin_ns};
  const Nanos begin = std::clamp(transfer->begin_ns, wait.begin_ns, wait.end_ns);
  const Nanos end = std::clamp(transfer->end_ns, begin, wait.end_ns);
  return UploadTimes{begin - wait.begin_ns, end - begin, wait.end_ns - end};
}

void add(const GpuGap& gap, IdleTime& idle) {
  const Nanos length = gap.end_ns - gap.begin_ns;
  switch (gap.cause) {
    case GapCause::after_wait:
      idle.bubbles_ns += length;
      idle.avoidable_ns += gap.avoidable_ns;
      return;
    case GapCause::late_launch:
    case GapCause::no_more_work:
      idle.host_bound_ns += length;
      return;
    case GapCause::queued:
      idle.dependency_ns += length;
      return;
    case GapCause::unknown:
      idle.unknown_ns += length;
      return;
  }
}

}  // namespace

std::optional<WaitCosts> cost_of_waits(const Trace& trace, const Steps& steps, const std::vector<Wait>& waits) {
  if (trace.gpu_ops.empty()) return std::nullopt;
  const auto found = find_gpu_gaps(trace, steps, waits, 0);
  if (!found) return std::nullopt;
  WaitCosts costs;
  costs.launch_latency_ns = found->launch_latency_ns;
  costs.waits.resize(waits.size());
  costs.steps.resize(steps.steps.size());
  const Transfers transfers(trace);
  for (std::size_t i = 0; i < waits.size(); ++i) {
    if (!is_host_wait(waits[i].kind)) continue;
    costs.waits[i].effective_ns = effective_wait(waits[i]);
    costs.waits[i].upload = upload_times(waits[i], transfers);
  }
  for (const GpuGap& gap : found->gaps) {
    add(gap, gap.step ? costs.steps[*gap.step] : costs.outside);
    if (!gap.wait) continue;
    costs.waits[*gap.wait].bubble_ns += gap.end_ns - gap.begin_ns;
    costs.waits[*gap.wait].avoidable_ns += gap.avoidable_ns;
  }
  return costs;
}

}  // namespace zerostall
