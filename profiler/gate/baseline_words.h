// Counts of a baseline in words.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "profiler/gate/baseline_count.h"

namespace zerostall::gate {

// "3 blocking copies".
std::string count_of(std::int64_t count, std::string_view noun);
std::string plural_of(std::string_view noun);

// "1 wait per step", "up to 2 waits per step", "5 waits in 48 steps".
std::string often_words(const BaselineCount& count, std::int64_t steps, std::string_view noun);

struct CountPair {
  BaselineCount before;
  std::int64_t before_steps = 0;
  BaselineCount now;
  std::int64_t now_steps = 0;
};
// "2 waits per step, 1 in the baseline: PLACE"; "10 waits in 48 steps, 5 in 48 in the baseline". `where`: "" = not
// said.
std::string change_words(CountChange change, const CountPair& counts, std::string_view noun, const std::string& where);

// Rounded.
std::int64_t per_100(const BaselineCount& count, std::int64_t steps);

}  // namespace zerostall::gate
