#include "profiler/analyze/by_thread.h"

#include <algorithm>
#include <tuple>

namespace zerostall {
namespace {

ThreadRole role_of(const Trace& trace, const Steps& steps, const Workers& workers, ThreadIndex thread) {
  ThreadRole role = ThreadRole::outside;
  for (std::size_t s = 0; s < steps.steps.size(); ++s) {
    if (steps.steps[s].thread == thread) return ThreadRole::marks;
    if (workers.works(thread, s)) role = ThreadRole::works;
  }
  if (role == ThreadRole::works) return role;
  const auto calls = trace.calls_of(thread);
  const bool is_in_steps =
      std::any_of(calls.begin(), calls.end(), [&](const Call& call) { return step_at(steps.steps, call.begin_ns); });
  return is_in_steps ? ThreadRole::background : ThreadRole::outside;
}

}  // namespace

std::string_view name_of(ThreadRole role) {
  switch (role) {
    case ThreadRole::marks:
      return "marks";
    case ThreadRole::works:
      return "works";
    case ThreadRole::background:
      return "background";
    case ThreadRole::outside:
      break;
  }
  return "outside";
}

std::vector<ThreadRow> find_threads(const Trace& trace, const Steps& steps, const std::vector<Wait>& waits,
                                    const Measured& measured, std::size_t warmup, const WaitCosts* costs) {
  const std::size_t judged = steps.steps.size() - std::min(warmup, steps.steps.size());
  const Workers workers(trace, steps);
  std::vector<ThreadRow> rows(trace.threads.size());
  std::vector<std::vector<Count>> per_step(rows.size());  // of threads that wait: there may be many threads and steps
  for (ThreadIndex t = 0; t < rows.size(); ++t) {
    rows[t].id = trace.threads[t].id;
    rows[t].role = role_of(trace, steps, workers, t);
    rows[t].calls = trace.threads[t].count;
    rows[t].counters = measured.threads[t];
    if (costs != nullptr) rows[t].avoidable_ns = 0;
  }
  for (std::size_t i = 0; i < waits.size(); ++i) {
    if (!is_host_wait(waits[i].kind)) continue;
    ThreadRow& row = rows[waits[i].thread];
    if (costs != nullptr) row.avoidable_ns = add_up(*row.avoidable_ns, costs->waits[i].avoidable_ns);
    per_step[waits[i].thread].resize(judged, 0);
    const auto step = step_at(steps.steps, waits[i].blocks_ns);
    if (step && *step >= warmup) ++*per_step[waits[i].thread][*step - warmup];
  }
  for (ThreadIndex t = 0; t < rows.size(); ++t)
    rows[t].per_step = per_step[t].empty() && judged > 0 ? Spread{} : spread_of(per_step[t]);
  std::erase_if(rows, [](const ThreadRow& row) { return row.calls == 0; });
  std::sort(rows.begin(), rows.end(), [](const ThreadRow& a, const ThreadRow& b) {
    return std::tuple(a.role, -a.counters[Counter::waits].value_or(0), a.id) <
           std::tuple(b.role, -b.counters[Counter::waits].value_or(0), b.id);
  });
  return rows;
}

}  // namespace zerostall
