// When is a count of one run more, or less, than that of another, which may have more steps or fewer? What the rules
// ask for is what any mixture of events with fixed periods shows, whatever its phase.
#pragma once
#include "profiler/gate/baseline.h"

namespace zerostall::gate {

enum class CountChange : std::uint8_t {
  same,          // as far as can be told
  more_at_once,  // some step has more than any had before
  more_often,    // no step has, but all of them together do
  fewer,
};

struct CountRule {
  // Waits that never fell into one step and might: added to what a step may have, by what was seen before and now.
  std::int64_t room = 0, room_now = 0;
  // False: steps are inferred, what is in one may come to lie in its neighbour.
  bool by_step = true;
};

// What n steps may have in all: what every step has, and of the rest as much as the steps seen had, at their rate and
// in another phase. Holds for any sum of events of fixed periods whose bursts are `max` + `room` - `min` together.
std::int64_t most_in(const BaselineCount& seen, std::int64_t steps_seen, std::int64_t n, std::int64_t room,
                     bool by_step);

// `fewer` only where it is certain, or where a run that is as long shows nothing of it any more.
CountChange change_of(const BaselineCount& before, std::int64_t before_steps, const BaselineCount& now,
                      std::int64_t now_steps, const CountRule& rule = {});

// Room of a process, from the most that each of its places has.
std::int64_t room_of(const BaselineProcess& process);

}  // namespace zerostall::gate
