#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "profiler/base/strings.h"
#include "profiler/gate/baseline_parts.h"

namespace zerostall::gate {
namespace {

// Places of which no more is known than what ran before, if that (sites.h).
bool is_position(const BaselineSite& site) {
  return site.place.starts_with("after ") || site.place.starts_with("before the ");
}

// Pairs up, in their order, what is left on both sides and has the same key. An empty key matches nothing.
template <class Key>
void match_left(std::span<const BaselineSite> before, std::span<const BaselineSite> now, MatchedBy by, const Key& key,
                std::vector<bool>& taken, std::vector<SiteMatch>& matches) {
  std::map<std::string, std::vector<std::size_t>> left;  // the last is the first to take
  for (std::size_t i = before.size(); i-- > 0;)
    if (!taken[i]) left[key(before[i])].push_back(i);
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (matches[i].by != MatchedBy::nothing) continue;
    const std::string own = key(now[i]);
    const auto found = left.find(own);
    if (own.empty() || found == left.end() || found->second.empty()) continue;
    matches[i] = {found->second.back(), by};
    taken[found->second.back()] = true;
    found->second.pop_back();
  }
}

// The position of each rank; several of one make it ambiguous.
std::map<std::optional<std::int64_t>, std::size_t> by_rank(std::span<const std::optional<std::int64_t>> ranks,
                                                           bool& ambiguous) {
  std::map<std::optional<std::int64_t>, std::size_t> found;
  for (std::size_t i = 0; i < ranks.size(); ++i) ambiguous |= !found.emplace(ranks[i], i).second;
  return found;
}

}  // namespace

std::vector<SiteMatch> match_sites(std::span<const BaselineSite> before, std::span<const BaselineSite> now) {
  std::vector<SiteMatch> matches(now.size());
  std::vector<bool> taken(before.size());
  const auto by = [&](MatchedBy how, const auto& key) { match_left(before, now, how, key, taken, matches); };
  by(MatchedBy::id, [](const BaselineSite& s) { return s.id; });
  by(MatchedBy::edited, [](const BaselineSite& s) { return s.place + '\n' + s.what; });
  by(MatchedBy::edited, [](const BaselineSite& s) { return s.place + '\n' + s.cause; });
  by(MatchedBy::edited, [](const BaselineSite& s) { return is_position(s) ? s.what : std::string(); });
  return matches;
}

PairedProcesses pair_processes(std::span<const std::optional<std::int64_t>> before,
                               std::span<const std::optional<std::int64_t>> now) {
  PairedProcesses paired;
  if (before.size() == 1 && now.size() == 1) {
    paired.pairs = {{0, 0}};
    return paired;
  }
  const auto old = by_rank(before, paired.ambiguous);
  const auto current = by_rank(now, paired.ambiguous);
  for (const auto& [rank, at] : old) {
    const auto same = current.find(rank);
    paired.pairs.push_back({at, same == current.end() ? kNone : same->second});
  }
  for (const auto& [rank, at] : current)
    if (!old.contains(rank)) paired.pairs.push_back({kNone, at});
  return paired;
}

std::string process_words(const std::optional<std::int64_t>& rank) {
  return rank ? fmt::format("rank {}", *rank) : "the process without a rank";
}

bool other_sizes(const std::optional<std::int64_t>& before, const std::optional<std::int64_t>& now) {
  if (!before || !now) return false;
  const std::int64_t apart = *before > *now ? *before - *now : *now - *before;
  return apart * 10 > std::max(*before, *now);
}

std::string baseline_words(const Baseline& baseline) {
  return baseline.file.empty() ? "the baseline" : "baseline " + baseline.file;
}

std::string what_to_do(const Baseline& before) {
  return before.file.empty() ? "compare runs of the same setting"
                             : "check what it was made for, or keep one baseline for each setting (`zerostall baseline "
                               "update -o FILE`)";
}

std::string other_recording(const Baseline& before, const Baseline& now) {
  const auto differ = [&](const std::string& what, const std::string& old, const std::string& current) {
    return fmt::format("{} is of {}, this run of {}: {}", baseline_words(before), what + old, what + current,
                       what_to_do(before));
  };
  if (before.device != now.device) return differ("", before.device, now.device);
  if (before.steps_from != now.steps_from) return differ("steps by ", before.steps_from, now.steps_from);
  if (before.world_size && now.world_size && *before.world_size != *now.world_size)
    return differ("world size ", fmt::to_string(*before.world_size), fmt::to_string(*now.world_size));
  if (now.warmup < before.warmup)
    return fmt::format(
        "{} leaves out {} of warm-up, this run {}: what the steps between them do is not in the "
        "baseline; use its warm-up, or update it",
        baseline_words(before), counted(before.warmup, "step"), now.warmup);
  return "";
}

}  // namespace zerostall::gate
