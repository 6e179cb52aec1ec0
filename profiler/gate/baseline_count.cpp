#include "profiler/gate/baseline_count.h"

#include <algorithm>

namespace zerostall::gate {
namespace {

// Whether that many steps in a row must show an event of which others saw this: were its period longer than the steps
// seen between two of its bursts allow, they would have shown fewer.
bool must_show(const BaselineCount& seen, std::int64_t steps_seen, std::int64_t steps) {
  return seen.min > 0 || steps >= steps_seen || steps * (seen.sum - seen.max) >= steps_seen * seen.max;
}

}  // namespace

// An event of period K that is seen k times in N steps has K > N / (k + 1), so n steps see it at most
// ceil(n (k + 1) / N) times; a sum of those is less than n (all + bursts) / N + bursts.
std::int64_t most_in(const BaselineCount& seen, std::int64_t steps_seen, std::int64_t n, std::int64_t room,
                     bool by_step) {
  if (steps_seen <= 0) return 0;
  const std::int64_t in_each = by_step ? seen.min : 0;
  const std::int64_t bursts = seen.max + room - in_each;
  if (bursts <= 0) return in_each * n;
  const std::int64_t rest = seen.sum - in_each * steps_seen;
  return in_each * n + (n * (rest + bursts) + steps_seen - 1) / steps_seen + bursts - 1;
}

CountChange change_of(const BaselineCount& before, std::int64_t before_steps, const BaselineCount& now,
                      std::int64_t now_steps, const CountRule& rule) {
  if (rule.by_step && now.max > before.max + rule.room) return CountChange::more_at_once;
  if (before.sum == 0) return now.sum > 0 ? CountChange::more_often : CountChange::same;
  if (now.sum > most_in(before, before_steps, now_steps, rule.room, rule.by_step)) return CountChange::more_often;
  const bool as_long = now_steps >= before_steps;
  if (now.sum == 0) return must_show(before, before_steps, now_steps) ? CountChange::fewer : CountChange::same;
  if (rule.by_step && before.max > now.max && (as_long || before.min > now.max)) return CountChange::fewer;
  const bool rarer = before.sum > most_in(now, now_steps, before_steps, rule.room_now, rule.by_step);
  return rarer ? CountChange::fewer : CountChange::same;
}

std::int64_t room_of(const BaselineProcess& process) {
  std::int64_t apart = 0;
  for (const BaselineSite& site : process.sites) apart += site.waits.max;
  const auto waits = process.counts.find("waits");
  return waits == process.counts.end() ? 0 : std::max<std::int64_t>(0, apart - waits->second.max);
}

}  // namespace zerostall::gate
