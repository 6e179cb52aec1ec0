#include "profiler/analyze/step_bounds.h"

#include <algorithm>

namespace zerostall {
namespace {

// Copies and waits around a boundary, as the boundaries inside the loop show them.
struct Surroundings {
  std::vector<CallIndex> before, behind;  // behind the boundary, up to the first launch
};

class Bounds {
 public:
  Bounds(const Trace& trace, const Launches& launches, std::span<const Stretch> steps)
      : trace_(trace), launches_(launches), thread_(trace.threads[launches.thread]) {
    std::vector<std::size_t> shared;
    for (std::size_t i = 1; i < steps.size(); ++i)
      if (steps[i].begin == steps[i - 1].end) shared.push_back(steps[i].begin);
    if (!shared.empty()) usual_ = surroundings(shared[shared.size() / 2]);
  }

  // The call with which a step begins that follows another one at once.
  CallIndex shared(std::size_t launch) const {
    for (CallIndex i = launches_.calls[launch - 1] + 1; i < launches_.calls[launch]; ++i) {
      const Call& call = trace_.calls[i];
      if (is_copy_or_wait(call) && call.direction == CopyDirection::host_to_device) return i;
    }
    return launches_.calls[launch];
  }

  CallIndex begin(std::size_t launch) const {
    CallIndex first = launches_.calls[launch], i = first;
    const CallIndex stop = launch == 0 ? thread_.first : after(launches_.calls[launch - 1]);
    for (auto usual = usual_.behind.rbegin(); usual != usual_.behind.rend(); ++usual) {
      while (i > stop && !is_copy_or_wait(trace_.calls[i - 1])) --i;
      if (i == stop || !alike(trace_.calls[i - 1], trace_.calls[*usual])) break;
      first = --i;
    }
    return first;
  }

  // The last call of a step that nothing follows at once.
  CallIndex last(std::size_t end) const {
    CallIndex last = launches_.calls[end - 1], i = last + 1;
    const CallIndex stop = end == launches_.size() || launches_.calls[end] == kNoIndex ? thread_.first + thread_.count
                                                                                       : launches_.calls[end];
    for (const CallIndex usual : usual_.before) {
      while (i < stop && !is_copy_or_wait(trace_.calls[i])) ++i;
      if (i == stop || !alike(trace_.calls[i], trace_.calls[usual])) break;
      last = i++;
    }
    return last;
  }

  // Whether the time at which a call begins has all before it on its side.
  bool divides(CallIndex call) const {
    for (CallIndex i = call; i > thread_.first && trace_.calls[i - 1].begin_ns == trace_.calls[call].begin_ns; --i)
      if (trace_.calls[i - 1].outermost) return false;
    return true;
  }

  Nanos end_of(CallIndex last) const {
    const Call& call = trace_.calls[last];
    Nanos end = std::max(call.end_ns, call.begin_ns + 1);
    for (CallIndex i = last + 1; i < thread_.first + thread_.count; ++i) {
      const Call& next = trace_.calls[i];
      if (next.outermost) return std::min(end, std::max(next.begin_ns, call.begin_ns + 1));
    }
    return end;
  }

 private:
  CallIndex after(CallIndex launch) const { return launch == kNoIndex ? thread_.first : launch + 1; }
  bool alike(const Call& a, const Call& b) const { return a.name == b.name && a.direction == b.direction; }

  Surroundings surroundings(std::size_t launch) const {
    const CallIndex boundary = shared(launch);
    Surroundings found;
    for (CallIndex i = launches_.calls[launch - 1] + 1; i < launches_.calls[launch]; ++i)
      if (is_copy_or_wait(trace_.calls[i])) (i < boundary ? found.before : found.behind).push_back(i);
    return found;
  }

  const Trace& trace_;
  const Launches& launches_;
  const Thread& thread_;
  Surroundings usual_;
};

}  // namespace

bool is_copy_or_wait(const Call& call) {
  switch (call.kind) {
    case ApiKind::copy:
    case ApiKind::stream_sync:
    case ApiKind::device_sync:
    case ApiKind::event_sync:
    case ApiKind::implicit:
      return call.outermost;
    default:
      return false;
  }
}

std::optional<std::vector<Step>> bound_steps(const Trace& trace, const Launches& launches,
                                             std::span<const Stretch> steps) {
  const Bounds bounds(trace, launches, steps);
  std::vector<Step> found;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool follows = i > 0 && steps[i].begin == steps[i - 1].end;
    const CallIndex first = follows ? bounds.shared(steps[i].begin) : bounds.begin(steps[i].begin);
    if (!bounds.divides(first)) return std::nullopt;
    const Nanos begin = trace.calls[first].begin_ns;
    if (follows) found.back().end_ns = begin;
    found.push_back(
        {static_cast<std::int64_t>(i), begin, bounds.end_of(bounds.last(steps[i].end)), launches.thread, {}});
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].end_ns <= found[i].begin_ns) return std::nullopt;
    if (i > 0 && found[i].begin_ns < found[i - 1].end_ns) return std::nullopt;
  }
  return found;
}

}  // namespace zerostall
