#include "profiler/analyze/own_cost.h"

#include <algorithm>

namespace zerostall {
namespace {

constexpr std::int64_t kFewestSamples = 8;  // one call alone may have met anything
constexpr std::int64_t kFewestOfAKind = 3;

}  // namespace

OwnCosts::OwnCosts(const TraceMeta& meta) {
  OwnCost all;
  for (const auto& [kind, cost] : meta.own_cost) {
    all.samples = add_up(all.samples, cost.samples);
    all.ns = add_up(all.ns, cost.ns);
  }
  known_ = all.samples >= kFewestSamples;
  if (!known_) return;
  ns_.fill(all.ns / all.samples);
  for (std::size_t i = 0; i < ns_.size(); ++i)
    if (const auto cost = meta.own_cost.find(std::string(name_of(static_cast<ApiKind>(i))));
        cost != meta.own_cost.end() && cost->second.samples >= kFewestOfAKind)
      ns_[i] = cost->second.ns / cost->second.samples;
}

std::vector<std::optional<Nanos>> own_cost_of_steps(const Trace& trace, const Steps& steps, const OwnCosts& costs) {
  std::vector<std::optional<Nanos>> taken(steps.steps.size());
  if (!costs.known()) return taken;
  std::fill(taken.begin(), taken.end(), Nanos{0});
  for (const Call& call : trace.calls) {
    const auto step = step_at(steps.steps, call.begin_ns);
    if (step && steps.steps[*step].thread == call.thread) taken[*step] = add_up(*taken[*step], costs.of(call.kind));
  }
  return taken;
}

void take_own_cost(const Trace& trace, const OwnCosts& costs, std::vector<Wait>& waits) {
  if (!costs.known()) return;
  for (Wait& wait : waits)
    if (wait.copy != kNoIndex && wait.sync != kNoIndex && wait.copy != wait.sync)
      wait.end_ns = std::max(wait.begin_ns, wait.end_ns - costs.of(trace.calls[wait.copy].kind));
}

}  // namespace zerostall
