#include "profiler/analyze/repeatable.h"

#include <algorithm>
#include <vector>

#include "profiler/analyze/measure.h"

namespace zerostall {
namespace {

bool calls_overlap(const Trace& trace) {
  if (trace.threads.size() < 2) return false;
  std::vector<const Call*> calls;
  for (const Call& call : trace.calls)
    if (call.parent == kNoIndex) calls.push_back(&call);
  std::stable_sort(calls.begin(), calls.end(), [](const Call* a, const Call* b) { return a->begin_ns < b->begin_ns; });
  const Call* last = nullptr;  // of those seen, the one that ends last
  for (const Call* call : calls) {
    if (last != nullptr && call->begin_ns < last->end_ns && call->thread != last->thread) return true;
    if (last == nullptr || call->end_ns > last->end_ns) last = call;
  }
  return false;
}

bool has_background_calls(const Trace& trace, const Steps& steps) {
  const Workers workers(trace, steps);
  return std::any_of(trace.calls.begin(), trace.calls.end(), [&](const Call& call) {
    const auto step = step_at(steps.steps, call.begin_ns);
    return step && !workers.works(call.thread, *step);
  });
}

}  // namespace

std::optional<bool> times_repeatable(const Trace& trace, const Steps& steps) {
  if (trace.meta.clock == Clock::measured) return std::nullopt;
  return trace.meta.host_clock != "cpu" && !calls_overlap(trace) && !has_background_calls(trace, steps);
}

}  // namespace zerostall
