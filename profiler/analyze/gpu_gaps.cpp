#include "profiler/analyze/gpu_gaps.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "profiler/analyze/device_load.h"
#include "profiler/analyze/launch_latency.h"

namespace zerostall {
namespace {

struct Interval {
  Nanos begin_ns = 0;
  Nanos end_ns = 0;
};

// A piece of work on one device: all of a graph's launch there is one.
struct Work {
  Nanos begin_ns = 0;
  Nanos end_ns = 0;
  Nanos launch_ns = 0;
  CallIndex call = kNoIndex;
};

// By begin.
std::map<std::uint32_t, std::vector<Work>> work_by_device(const Trace& trace) {
  std::map<std::uint32_t, std::vector<Work>> devices;
  std::map<std::uint32_t, std::unordered_map<CallIndex, std::size_t>> graphs;
  for (const GpuOp& op : trace.gpu_ops) {
    if (op.bad_time) continue;
    std::vector<Work>& all = devices[op.device];
    if (op.call != kNoIndex && trace.calls[op.call].kind == ApiKind::graph_launch) {
      const auto [graph, is_new] = graphs[op.device].try_emplace(op.call, all.size());
      if (!is_new) {
        Work& whole = all[graph->second];
        whole.begin_ns = std::min(whole.begin_ns, op.begin_ns);
        whole.end_ns = std::max(whole.end_ns, op.end_ns);
        continue;
      }
    }
    all.push_back({op.begin_ns, op.end_ns, op.launch_ns, op.call});
  }
  const auto before = [](const Work& a, const Work& b) { return a.begin_ns < b.begin_ns; };
  for (auto& [device, all] : devices)
    if (!std::is_sorted(all.begin(), all.end(), before)) std::stable_sort(all.begin(), all.end(), before);
  return devices;
}

CallIndex last_call(const Wait& wait) { return wait.sync != kNoIndex ? wait.sync : wait.copy; }

// The host waits that had something to wait for, by thread.
class Blame {
 public:
  Blame(const Trace& trace, const std::vector<Wait>& waits, Nanos slack_ns)
      : trace_(trace), waits_(waits), slack_ns_(slack_ns), by_thread_(trace.threads.size()) {
    for (std::size_t i = 0; i < waits.size(); ++i) {
      const Wait& wait = waits[i];
      if (is_host_wait(wait.kind) && wait.work_end_ns && *wait.work_end_ns > wait.begin_ns + slack_ns)
        by_thread_[wait.thread].push_back(i);
      if (wait.host_to_device && !wait.staged && trace.calls[wait.copy].host_memory == MemoryKind::pageable)
        uploads_.emplace(wait.copy, i);
    }
  }

  // The last wait of its thread before this launch, if that is what held the launch back. Which is last tells the order
  // of the calls: stamps may be equal.
  std::optional<std::size_t> of(Interval gap, CallIndex launch) const {
    const auto& own = by_thread_[trace_.calls[launch].thread];
    return checked(gap, own, std::partition_point(own.begin(), own.end(), [&](std::size_t i) {
                     return last_call(waits_[i]) < launch;
                   }));
  }
  // The same where nothing was launched any more before the gap ended, with its step.
  std::optional<std::size_t> at_end(Interval gap, ThreadIndex thread) const {
    const auto& own = by_thread_[thread];
    return checked(gap, own, std::partition_point(own.begin(), own.end(), [&](std::size_t i) {
                     return waits_[i].end_ns <= gap.end_ns;
                   }));
  }
  // The wait whose own transfer this is, where the host first had to put the data into memory that the device can read.
  std::optional<std::size_t> filling(CallIndex launch) const {
    const auto upload = uploads_.find(launch);
    return upload == uploads_.end() ? std::nullopt : std::optional(upload->second);
  }

 private:
  std::optional<std::size_t> checked(Interval gap, const std::vector<std::size_t>& own,
                                     std::vector<std::size_t>::const_iterator behind) const {
    if (behind == own.begin()) return std::nullopt;
    const std::size_t last = *(behind - 1);
    const bool held = waits_[last].begin_ns < gap.end_ns && waits_[last].end_ns >= gap.begin_ns - slack_ns_;
    return held ? std::optional(last) : std::nullopt;
  }

  const Trace& trace_;
  const std::vector<Wait>& waits_;
  Nanos slack_ns_;
  std::vector<std::vector<std::size_t>> by_thread_;  // in order
  std::unordered_map<CallIndex, std::size_t> uploads_;
};

// The parts of a gap that lie within recording windows.
std::vector<Interval> recorded_parts(const Trace& trace, Interval gap) {
  if (!trace.windows) return {gap};
  std::vector<Interval> parts;
  for (auto window = std::partition_point(trace.windows->begin(), trace.windows->end(),
                                          [&](const RecordingWindow& w) { return w.end_ns <= gap.begin_ns; });
       window != trace.windows->end() && window->begin_ns < gap.end_ns; ++window)
    parts.push_back({std::max(gap.begin_ns, window->begin_ns), std::min(gap.end_ns, window->end_ns)});
  return parts;
}

// Appends a gap, in pieces that each lie in one step or in none.
void append(GpuGap gap, Nanos avoidable_from, const Steps& steps, std::vector<GpuGap>& gaps) {
  const Nanos end = gap.end_ns;
  auto step = std::partition_point(steps.steps.begin(), steps.steps.end(),
                                   [&](const Step& s) { return s.end_ns <= gap.begin_ns; });
  while (gap.begin_ns < end) {
    const bool has_step = step != steps.steps.end() && step->begin_ns < end;
    const bool inside = has_step && step->begin_ns <= gap.begin_ns;
    gap.end_ns = inside ? std::min(end, step->end_ns) : has_step ? step->begin_ns : end;
    gap.step = inside ? std::optional(static_cast<std::size_t>(step - steps.steps.begin())) : std::nullopt;
    gap.avoidable_ns = std::max<Nanos>(0, gap.end_ns - std::max(gap.begin_ns, avoidable_from));
    if (gap.begin_ns < gap.end_ns) gaps.push_back(gap);
    gap.begin_ns = gap.end_ns;
    if (inside) ++step;
  }
}

struct Finder {
  const Trace& trace;
  const Steps& steps;
  const std::vector<Wait>& waits;
  const Blame& blame;
  Nanos shortest_queued_ns;
  GpuGaps& found;

  // When the gap would have ended, had this wait not blocked and all after it taken as long as it did.
  Nanos end_without(const Wait& wait, Interval gap, Nanos launch_ns, Nanos latency_ns) const {
    const Nanos start = wait.begin_ns + (launch_ns - wait.end_ns) + latency_ns;
    return std::clamp(start, gap.begin_ns, gap.end_ns);
  }

  void add(std::uint32_t device, Interval gap, GapCause cause, std::optional<std::size_t> wait,
           Nanos avoidable_from) const {
    for (const Interval& part : recorded_parts(trace, gap))
      append({part.begin_ns, part.end_ns, 0, device, cause, std::nullopt, wait}, avoidable_from, steps, found.gaps);
  }

  void add_before(const Work& next, std::uint32_t device, Interval gap) const {
    if (next.call == kNoIndex) return add(device, gap, GapCause::unknown, std::nullopt, gap.end_ns);
    const Nanos ready_ns = next.launch_ns + found.launch_latency_ns;  // from when on the launch is not what is missing
    if (const auto upload = blame.filling(next.call)) {
      const Nanos begin_ns = std::clamp(ready_ns, gap.begin_ns, gap.end_ns);
      if (begin_ns > gap.begin_ns) add_launched(next, device, {gap.begin_ns, begin_ns});
      return add(device, {begin_ns, gap.end_ns}, GapCause::after_wait, upload, begin_ns);
    }
    if (ready_ns > gap.begin_ns) return add_launched(next, device, gap);
    if (gap.end_ns - gap.begin_ns >= shortest_queued_ns) add(device, gap, GapCause::queued, std::nullopt, gap.end_ns);
  }

  // Before work that was launched too late.
  void add_launched(const Work& next, std::uint32_t device, Interval gap) const {
    const auto wait = blame.of(gap, next.call);
    if (!wait) return add(device, gap, GapCause::late_launch, std::nullopt, gap.end_ns);
    add(device, gap, GapCause::after_wait, wait,
        end_without(waits[*wait], gap, next.launch_ns, found.launch_latency_ns));
  }

  // Behind all work, to the end of the step: the thread that launched the last work launched no more.
  void add_last(const Work& last, std::uint32_t device, Interval gap) const {
    const auto wait = last.call == kNoIndex ? std::nullopt : blame.at_end(gap, trace.calls[last.call].thread);
    if (!wait) return add(device, gap, GapCause::no_more_work, std::nullopt, gap.end_ns);
    add(device, gap, GapCause::after_wait, wait, end_without(waits[*wait], gap, gap.end_ns, 0));
  }

  void find(std::uint32_t device, const std::vector<Work>& all) const {
    Nanos busy_until = all.front().begin_ns;
    if (const auto first = step_at(steps.steps, busy_until)) busy_until = steps.steps[*first].begin_ns;
    const Work* last = &all.front();
    for (const Work& work : all) {
      if (work.begin_ns > busy_until) add_before(work, device, {busy_until, work.begin_ns});
      busy_until = std::max(busy_until, work.end_ns);
      if (work.end_ns >= last->end_ns) last = &work;
    }
    if (const auto step = step_at(steps.steps, busy_until))
      add_last(*last, device, {busy_until, steps.steps[*step].end_ns});
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

std::optional<GpuGaps> find_gpu_gaps(const Trace& trace, const Steps& steps, const std::vector<Wait>& waits,
                                     Nanos shortest_queued_ns) {
  if (!has_all_gpu_work(trace) || trace.meta.counts_only) return std::nullopt;
  const Blame blame(trace, waits, clock_slack(trace.meta));
  GpuGaps found;
  found.launch_latency_ns = find_launch_latency(trace);
  const Finder finder{trace, steps, waits, blame, shortest_queued_ns, found};
  for (const auto& [device, work] : work_by_device(trace)) finder.find(device, work);
  return found;
}

}  // namespace zerostall
