#include "profiler/analyze/repeatable.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "profiler/analyze/measure.h"

namespace zerostall {
namespace {

constexpr int kPatience = 1000;  // questions of a watcher after which the simulated clock jumps (core/wait.cpp)

// By thread: makes no calls that matter but queries.
std::vector<bool> watchers_of(const Trace& trace) {
  std::vector<bool> only_asks(trace.threads.size(), true);
  for (const Call& call : trace.calls)
    if (call.kind != ApiKind::query && call.kind != ApiKind::other) only_asks[call.thread] = false;
  return only_asks;
}

// A watcher's calls bear the time at which the clock stands.
bool clock_jumped_for_a_watcher(const Trace& trace, const std::vector<bool>& watches) {
  std::map<std::pair<ThreadIndex, Nanos>, int> asked;
  return std::any_of(trace.calls.begin(), trace.calls.end(), [&](const Call& call) {
    return watches[call.thread] && call.kind == ApiKind::query && ++asked[{call.thread, call.begin_ns}] >= kPatience;
  });
}

bool calls_overlap(const Trace& trace, const std::vector<bool>& watches) {
  if (trace.threads.size() < 2) return false;
  std::vector<const Call*> calls;
  for (const Call& call : trace.calls)
    if (call.parent == kNoIndex && !watches[call.thread]) calls.push_back(&call);
  std::stable_sort(calls.begin(), calls.end(), [](const Call* a, const Call* b) { return a->begin_ns < b->begin_ns; });
  const Call* last = nullptr;  // of those seen, the one that ends last
  for (const Call* call : calls) {
    if (last != nullptr && call->begin_ns < last->end_ns && call->thread != last->thread) return true;
    if (last == nullptr || call->end_ns > last->end_ns) last = call;
  }
  return false;
}

bool has_background_calls(const Trace& trace, const Steps& steps, const std::vector<bool>& watches) {
  const Workers workers(trace, steps);
  return std::any_of(trace.calls.begin(), trace.calls.end(), [&](const Call& call) {
    const auto step = step_at(steps.steps, call.begin_ns);
    return step && !watches[call.thread] && !workers.works(call.thread, *step);
  });
}

}  // namespace

std::optional<bool> times_repeatable(const Trace& trace, const Steps& steps) {
  if (trace.meta.clock == Clock::measured) return std::nullopt;
  if (trace.meta.host_clock == "cpu") return false;
  const std::vector<bool> watches = watchers_of(trace);
  return !calls_overlap(trace, watches) && !has_background_calls(trace, steps, watches) &&
         !clock_jumped_for_a_watcher(trace, watches);
}

}  // namespace zerostall
