#include "profiler/gate/surplus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>

namespace zerostall {
namespace {

using Waits = std::map<std::string, std::int64_t>;  // what -> how often; keys in stable order
using Filter = std::function<bool(const WaitSeen&)>;
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

Waits waits_in(const StepRow& step, const Place& place, const Filter& filter) {
  Waits waits;
  for (const WaitSeen& wait : step.waits)
    if (place.holds(wait) && filter(wait)) ++waits[wait.what];
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

// What is left of the candidates when the same step of other runs has been heard. A run that leaves too few says
// nothing.
Waits narrowed(Waits candidates, std::int64_t excess, const Blame& blame, const Place& place, const Filter& filter) {
  for (const OtherStep& other : blame.others) {
    const Waits stays = waits_in(other.step, place, filter);
    Waits fewer = other.as_claimed ? minus(candidates, stays) : common(candidates, stays);
    if (total(fewer) >= excess) candidates = std::move(fewer);
  }
  return candidates;
}

// "2 × A", or "2 of: 2 × A, B" where it cannot be told which.
std::string pick(const Waits& candidates, std::int64_t excess) {
  if (total(candidates) <= excess) return list(candidates);
  if (candidates.size() == 1) return list({{candidates.begin()->first, excess}});
  return fmt::format("{} of: {}", excess == 1 ? "one" : fmt::format("{}", excess), list(candidates));
}

// The surplus waits of one class, in words; "" = none.
std::string surplus_of(const Blame& blame, const Place& place, std::int64_t excess, const Filter& filter) {
  if (excess <= 0) return {};
  return pick(narrowed(waits_in(blame.step, place, filter), excess, blame, place, filter), excess);
}

bool any(const WaitSeen&) { return true; }
bool is_upload(const WaitSeen& wait) { return wait.host_to_device; }
bool is_no_upload(const WaitSeen& wait) { return !wait.host_to_device; }

// Without a step to compare with.
std::string told_by_numbers(const Blame& blame, const Place& place) {
  const Shares& e = blame.excess;
  const auto of_kind = [](WaitKind kind) { return [=](const WaitSeen& wait) { return wait.kind == kind; }; };
  if (e.waits == 0) {  // some other kind of call than claimed does the waiting
    if (e.stream_syncs > 0) return surplus_of(blame, place, e.stream_syncs, of_kind(WaitKind::stream_sync));
    if (e.event_syncs > 0) return surplus_of(blame, place, e.event_syncs, of_kind(WaitKind::event_sync));
    return surplus_of(blame, place, e.h2d_stalls, is_upload);
  }
  if (e.waits < 0) return {};
  if (e.h2d_stalls < 0 || e.h2d_stalls > e.waits) return surplus_of(blame, place, e.waits, any);
  std::vector<std::string> parts;
  for (const std::string& part : {surplus_of(blame, place, e.h2d_stalls, is_upload),
                                  surplus_of(blame, place, e.waits - e.h2d_stalls, is_no_upload)})
    if (!part.empty()) parts.push_back(part);
  return join(parts, "; ");
}

}  // namespace

std::string calls_to_blame(const Blame& blame) {
  const Place place{blame.region, blame.claimed_regions};
  const Waits shown = waits_in(blame.step, place, any);
  const std::int64_t excess = blame.excess.waits;
  for (const StepRow& other : blame.run.summary.steps) {
    if (!other.judged || excess == 0) continue;
    const Waits usual = waits_in(other, place, any);
    if (total(usual) != total(shown) - excess) continue;
    const Waits differing = excess < 0 ? minus(usual, shown) : minus(shown, usual);
    if (total(differing) == std::abs(excess)) return (excess < 0 ? "without " : "") + list(differing);
  }
  return told_by_numbers(blame, place);
}

}  // namespace zerostall
