#include "profiler/analyze/between_steps.h"

#include <algorithm>

namespace zerostall {

BetweenSteps look_between_steps(const Steps& steps, const std::vector<Wait>& waits, std::size_t warmup) {
  const auto& all = steps.steps;
  std::vector<std::int64_t> behind(all.size(), 0);  // waits after each step, and before the next
  for (const Wait& wait : waits) {
    if (!is_host_wait(wait.kind) || all.empty() || step_at(all, wait.blocks_ns)) continue;
    const auto next = std::upper_bound(all.begin(), all.end(), wait.blocks_ns,
                                       [](Nanos time, const Step& step) { return time < step.begin_ns; });
    if (next == all.begin() || next == all.end() || next->thread != wait.thread) continue;
    ++behind[static_cast<std::size_t>(next - all.begin()) - 1];
  }
  BetweenSteps between;
  for (std::size_t s = warmup; s + 1 < all.size(); ++s) {
    ++between.gaps;
    between.gaps_with_waits += behind[s] > 0 ? 1 : 0;
    between.waits += behind[s];
  }
  return between;
}

}  // namespace zerostall
