#include "profiler/gate/baseline_words.h"

#include <fmt/format.h>

#include "profiler/base/strings.h"

namespace zerostall::gate {

std::string plural_of(std::string_view noun) {
  if (noun.ends_with("copy")) return std::string(noun.substr(0, noun.size() - 1)) + "ies";
  return std::string(noun) + "s";
}

std::string count_of(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}", count, count == 1 ? std::string(noun) : plural_of(noun));
}

std::string often_words(const BaselineCount& count, std::int64_t steps, std::string_view noun) {
  if (count.min == count.max) return count_of(count.max, noun) + " per step";
  if (count.max == 1 || count.min == 0)
    return fmt::format("{} in {}", count_of(count.sum, noun), counted(steps, "step"));
  return fmt::format("up to {} per step", count_of(count.max, noun));
}

std::string change_words(CountChange change, const CountPair& counts, std::string_view noun, const std::string& where) {
  const auto& [before, before_steps, now, now_steps] = counts;
  const std::string place = where.empty() ? "" : ": " + where;
  const bool by_most = change == CountChange::more_at_once || (change == CountChange::fewer && before.max > now.max);
  if (!by_most)
    return fmt::format("{} in {}, {} in {} in the baseline{}", count_of(now.sum, noun), counted(now_steps, "step"),
                       before.sum, before_steps, place);
  const std::string_view up_to = now.min == now.max ? "" : "up to ";
  return fmt::format("{}{} per step, {} in the baseline{}", up_to, count_of(now.max, noun), before.max, place);
}

std::int64_t per_100(const BaselineCount& count, std::int64_t steps) {
  return steps <= 0 ? 0 : (count.sum * 100 + steps / 2) / steps;
}

}  // namespace zerostall::gate
