#include "profiler/analyze/gpu_gaps.h"

#include <algorithm>
#include <map>

namespace zerostall {
namespace {

constexpr Nanos kClockSlackNs = 5'000;  // of a GPU's clock mapped to the host's
constexpr Nanos kOwnGapNs = 5'000;      // between two pieces of queued work

struct Interval {
  Nanos begin_ns = 0;
  Nanos end_ns = 0;
};

using DeviceOps = std::map<std::uint32_t, std::vector<const GpuOp*>>;

DeviceOps ops_by_device(const Trace& trace) {
  DeviceOps devices;
  for (const GpuOp& op : trace.gpu_ops)
    if (!op.bad_time) devices[op.device].push_back(&op);
  for (auto& [device, ops] : devices)
    std::stable_sort(ops.begin(), ops.end(), [](const GpuOp* a, const GpuOp* b) { return a->begin_ns < b->begin_ns; });
  return devices;
}

bool has_all_gpu_work(const Trace& trace) {
  return !trace.truncated && trace.lost_records == 0 && !trace.meta.counts_only;
}

// The waits that drained, in order of their returns.
class Drains {
 public:
  Drains(const Trace& trace, const std::vector<Wait>& waits, Nanos slack_ns)
      : trace_(trace), waits_(waits), slack_ns_(slack_ns) {
    for (const GpuOp& op : trace.gpu_ops) {
      devices_.try_emplace(op.context, op.device);
      has_several_ = has_several_ || op.device != trace.gpu_ops.front().device;
    }
    for (std::size_t i = 0; i < waits.size(); ++i)
      if (waits[i].drains.value_or(false)) order_.push_back(i);
    std::stable_sort(order_.begin(), order_.end(), [&](auto a, auto b) { return waits[a].end_ns < waits[b].end_ns; });
  }

  // The first that was under way when the device ran dry, and returned before it had work again.
  std::optional<std::size_t> around(std::uint32_t device, Interval gap) const {
    auto it = std::partition_point(order_.begin(), order_.end(),
                                   [&](std::size_t i) { return waits_[i].end_ns < gap.begin_ns - slack_ns_; });
    for (; it != order_.end() && waits_[*it].end_ns <= gap.end_ns + slack_ns_; ++it)
      if (waits_[*it].begin_ns <= gap.begin_ns + slack_ns_ && is_on(device, waits_[*it])) return *it;
    return std::nullopt;
  }

 private:
  // A wait of a context that is not known is for no device where there are several: nobody can tell.
  bool is_on(std::uint32_t device, const Wait& wait) const {
    const Call& call = trace_.calls[wait.sync != kNoIndex ? wait.sync : wait.copy];
    const auto known = devices_.find(call.context);
    return known == devices_.end() ? !has_several_ : known->second == device;
  }

  const Trace& trace_;
  const std::vector<Wait>& waits_;
  Nanos slack_ns_;
  std::map<std::uint32_t, std::uint32_t> devices_;  // by context
  bool has_several_ = false;                        // devices
  std::vector<std::size_t> order_;
};

// The parts of a gap that lie within recording windows.
std::vector<Interval> recorded_parts(const Trace& trace, Interval gap) {
  if (!trace.windows) return {gap};
  std::vector<Interval> parts;
  for (const RecordingWindow& window : *trace.windows)
    if (window.begin_ns < gap.end_ns && gap.begin_ns < window.end_ns)
      parts.push_back({std::max(gap.begin_ns, window.begin_ns), std::min(gap.end_ns, window.end_ns)});
  return parts;
}

// Appends a gap, in pieces that each lie in one step or in none.
void append(GpuGap gap, const Steps& steps, std::vector<GpuGap>& gaps) {
  const Nanos end = gap.end_ns;
  auto step = std::partition_point(steps.steps.begin(), steps.steps.end(),
                                   [&](const Step& s) { return s.end_ns <= gap.begin_ns; });
  while (gap.begin_ns < end) {
    const bool has_step = step != steps.steps.end() && step->begin_ns < end;
    const bool inside = has_step && step->begin_ns <= gap.begin_ns;
    gap.end_ns = inside ? std::min(end, step->end_ns) : has_step ? step->begin_ns : end;
    gap.step = inside ? std::optional(static_cast<std::size_t>(step - steps.steps.begin())) : std::nullopt;
    if (gap.begin_ns < gap.end_ns) gaps.push_back(gap);
    gap.begin_ns = gap.end_ns;
    if (inside) ++step;
  }
}

struct Finder {
  const Trace& trace;
  const Steps& steps;
  const Drains& drains;
  Nanos slack_ns;
  std::vector<GpuGap>& gaps;

  // `next` = the work that ends the gap; null = there is none.
  void add(std::uint32_t device, Interval gap, const GpuOp* next) const {
    const auto wait = drains.around(device, gap);
    const bool late = next != nullptr && next->launch_ns >= gap.begin_ns - slack_ns;
    const GapCause cause = wait                     ? GapCause::after_wait
                           : next == nullptr        ? GapCause::no_more_work
                           : next->call == kNoIndex ? GapCause::unknown
                           : late                   ? GapCause::late_launch
                                                    : GapCause::queued;
    if (cause == GapCause::queued && gap.end_ns - gap.begin_ns < kOwnGapNs) return;
    for (const Interval& part : recorded_parts(trace, gap))
      append({part.begin_ns, part.end_ns, device, cause, std::nullopt, wait}, steps, gaps);
  }

  void find(std::uint32_t device, const std::vector<const GpuOp*>& ops) const {
    const bool has_steps = !steps.steps.empty();
    Nanos busy_until = ops.front()->begin_ns;
    if (has_steps) busy_until = std::min(busy_until, steps.steps.front().begin_ns);
    for (const GpuOp* op : ops) {
      if (op->begin_ns > busy_until) add(device, {busy_until, op->begin_ns}, op);
      busy_until = std::max(busy_until, op->end_ns);
    }
    if (has_steps && busy_until < steps.steps.back().end_ns)
      add(device, {busy_until, steps.steps.back().end_ns}, nullptr);
  }
};

}  // namespace

std::string_view name_of(GapCause cause) {
  switch (cause) {
    case GapCause::after_wait:
      return "after_wait";
    case GapCause::late_launch:
      return "late_launch";
    case GapCause::queued:
      return "queued";
    case GapCause::no_more_work:
      return "no_more_work";
    case GapCause::unknown:
      break;
  }
  return "unknown";
}

std::optional<std::vector<GpuGap>> find_gpu_gaps(const Trace& trace, const Steps& steps,
                                                 const std::vector<Wait>& waits) {
  if (!has_all_gpu_work(trace)) return std::nullopt;
  const Nanos slack_ns = trace.meta.clock == Clock::measured ? kClockSlackNs : 0;
  const Drains drains(trace, waits, slack_ns);
  std::vector<GpuGap> gaps;
  for (const auto& [device, ops] : ops_by_device(trace)) Finder{trace, steps, drains, slack_ns, gaps}.find(device, ops);
  return gaps;
}

}  // namespace zerostall
