#include "profiler/gate/surplus.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace zerostall {
namespace {

using Waits = std::map<std::string, std::int64_t>;  // what -> how often; keys in stable order
constexpr std::size_t kMostNamed = 4;

struct Place {
  const std::string& region;
  const std::vector<std::string>& claimed;
  bool holds(const WaitSeen& wait) const {
    const auto is_in = [&](const std::string& name) {
      return std::find(wait.regions.begin(), wait.regions.end(), name) != wait.regions.end();
    };
    return region.empty() ? std::none_of(claimed.begin(), claimed.end(), is_in) : is_in(region);
  }
};

Waits waits_in(const StepRow& step, const Place& place) {
  Waits waits;
  for (const WaitSeen& wait : step.waits)
    if (place.holds(wait)) ++waits[wait.what];
  return waits;
}

std::int64_t total(const Waits& waits) {
  std::int64_t sum = 0;
  for (const auto& [what, count] : waits) sum += count;
  return sum;
}

Waits minus(const Waits& from, const Waits& what) {
  Waits left;
  for (const auto& [name, count] : from) {
    const auto other = what.find(name);
    const std::int64_t n = count - (other == what.end() ? 0 : other->second);
    if (n > 0) left[name] = n;
  }
  return left;
}

Waits common(const Waits& a, const Waits& b) { return minus(a, minus(a, b)); }

std::string list(const Waits& waits) {
  std::vector<std::string> parts;
  for (const auto& [what, count] : waits) {
    if (parts.size() == kMostNamed) {
      parts.push_back(fmt::format("{} other kinds", waits.size() - kMostNamed));
      break;
    }
    parts.push_back(count == 1 ? what : fmt::format("{} × {}", count, what));
  }
  return join(parts, ", ");
}

const VerifyRun* most_fixes(const std::vector<VerifyRun>& runs) {
  const auto most = std::max_element(runs.begin(), runs.end(),
                                     [](const auto& a, const auto& b) { return a.fixes.size() < b.fixes.size(); });
  return most == runs.end() ? nullptr : &*most;
}

const StepRow* step_numbered(const VerifyRun& run, std::int64_t number) {
  for (const StepRow& step : run.summary.steps)
    if (step.number == number) return &step;
  return nullptr;
}

}  // namespace

std::string calls_to_blame(const std::vector<VerifyRun>& runs, const VerifyRun& run, const StepRow& step,
                           const std::string& region, const std::vector<std::string>& claimed_regions,
                           std::int64_t excess) {
  const Place place{region, claimed_regions};
  const Waits shown = waits_in(step, place);
  for (const StepRow& other : run.summary.steps) {
    if (!other.judged) continue;
    const Waits usual = waits_in(other, place);
    const bool is_right_one = total(usual) == total(shown) - excess;
    if (!is_right_one) continue;
    if (excess < 0) return "without " + list(minus(usual, shown));
    if (const Waits surplus = minus(shown, usual); !surplus.empty()) return list(surplus);
  }
  if (excess <= 0) return {};
  const VerifyRun* last = most_fixes(runs);
  const StepRow* left = last == nullptr || last == &run ? nullptr : step_numbered(*last, step.number);
  if (left != nullptr)
    if (const Waits both = common(shown, waits_in(*left, place)); total(both) == excess) return list(both);
  return list(shown);
}

}  // namespace zerostall
