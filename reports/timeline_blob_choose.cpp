// Which part of a timeline is shown first, and which is left out where it gets too much.
#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <tuple>

#include "reports/timeline_blob_parts.h"

namespace zerostall {
namespace {

constexpr Nanos kNearNs = 100'000;  // before and behind a wait

// Of each step, the waits that its row of the summary lists, in that order.
std::vector<std::vector<std::uint32_t>> waits_of_steps(const TimelineSource& source) {
  const Steps& steps = *source.steps;
  std::vector<std::vector<std::uint32_t>> of(steps.steps.size());
  const Workers workers(*source.trace, steps);
  const std::string& region = source.summary->region;
  for (std::uint32_t i = 0; i < source.waits->size(); ++i) {
    const Wait& wait = (*source.waits)[i];
    if (!is_host_wait(wait.kind)) continue;
    const StepPlace place = step_place_of(steps, workers, wait.thread, wait.blocks_ns);
    if (place.where != Where::step) continue;
    const auto regions =
        region.empty() ? std::vector<std::string>{} : regions_at(steps.steps[*place.step], wait.blocks_ns);
    if (region.empty() || std::find(regions.begin(), regions.end(), region) != regions.end())
      of[*place.step].push_back(i);
  }
  return of;
}

// Positions of the steps that count, by length: judged ones, or all where none is.
std::vector<std::size_t> steps_by_length(const TimelineSource& source) {
  const auto& steps = source.steps->steps;
  const auto& rows = source.summary->steps;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (i < rows.size() && rows[i].judged) order.push_back(i);
  if (order.empty())
    for (std::size_t i = 0; i < steps.size(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return steps[a].end_ns - steps[a].begin_ns < steps[b].end_ns - steps[b].begin_ns;
  });
  return order;
}

// By avoidable idle time where that is known, then by length.
std::uint32_t costliest(const TimelineSource& source, std::size_t step, const std::vector<std::uint32_t>& waits) {
  std::uint32_t best = kNoIndex;
  std::tuple<Nanos, Nanos> most{-1, -1};
  for (std::size_t k = 0; k < waits.size(); ++k) {
    const Wait& wait = (*source.waits)[waits[k]];
    const auto& seen = source.summary->steps;
    const bool is_seen = step < seen.size() && k < seen[step].waits.size();
    const std::tuple cost{is_seen ? seen[step].waits[k].avoidable_ns.value_or(0) : 0, wait.end_ns - wait.begin_ns};
    if (cost > most) std::tie(best, most) = std::tuple(waits[k], cost);
  }
  return best;
}

std::uint32_t longest(const std::vector<Wait>& waits) {
  std::uint32_t best = kNoIndex;
  for (std::uint32_t i = 0; i < waits.size(); ++i)
    if (is_host_wait(waits[i].kind) &&
        (best == kNoIndex || waits[i].end_ns - waits[i].begin_ns > waits[best].end_ns - waits[best].begin_ns))
      best = i;
  return best;
}

bool is_always_kept(BlobKind kind) { return kind <= BlobKind::other_wait || kind == BlobKind::bubble; }

// Times that are near host waits, apart and in order.
std::vector<std::pair<Nanos, Nanos>> times_near(const std::vector<Wait>& waits) {
  std::vector<std::pair<Nanos, Nanos>> all, apart;
  for (const Wait& wait : waits)
    if (is_host_wait(wait.kind)) all.emplace_back(wait.begin_ns - kNearNs, wait.end_ns + kNearNs);
  std::sort(all.begin(), all.end());
  for (const auto& time : all) {
    if (apart.empty() || time.first > apart.back().second)
      apart.push_back(time);
    else
      apart.back().second = std::max(apart.back().second, time.second);
  }
  return apart;
}

// How dispensable: by class, then by distance in steps, then what is short. One number, as there may be millions.
using Rank = std::uint64_t;

Rank rank_of(std::uint64_t kind, std::size_t distance, Nanos length) {
  constexpr std::uint64_t kFarthest = (1u << 24) - 1, kLongest = (std::uint64_t{1} << 37) - 1;
  const std::uint64_t far = std::min<std::uint64_t>(distance, kFarthest);
  return kind << 61 | far << 37 | (kLongest - std::min(static_cast<std::uint64_t>(length), kLongest));
}

class Ranking {
 public:
  Ranking(const TimelineSource& source, std::size_t middle)
      : steps_(source.steps->steps), rows_(source.summary->steps), near_(times_near(*source.waits)), middle_(middle) {}

  // For each row anew: slices come in order.
  void begin_row() { next_step_ = next_near_ = 0; }

  std::size_t step_of(const BlobSlice& slice) {
    while (next_step_ < steps_.size() && steps_[next_step_].end_ns <= slice.begin_ns) ++next_step_;
    const bool inside = next_step_ < steps_.size() && steps_[next_step_].begin_ns <= slice.begin_ns;
    return inside ? next_step_ : steps_.size();
  }

  Rank rank(const BlobSlice& slice) {
    const std::size_t step = step_of(slice);
    while (next_near_ < near_.size() && near_[next_near_].second < slice.begin_ns) ++next_near_;
    const bool near = next_near_ < near_.size() && near_[next_near_].first <= slice.end_ns;
    const bool judged = step < rows_.size() && rows_[step].judged;
    // Outside of steps: by the step that comes next.
    const std::size_t distance = next_step_ > middle_ ? next_step_ - middle_ : middle_ - next_step_;
    const std::uint64_t kind = step < steps_.size() && distance <= 1 ? 0 : near ? (judged ? 1 : 3) : (judged ? 2 : 4);
    return rank_of(kind, distance, slice.end_ns - slice.begin_ns);
  }

 private:
  const std::vector<Step>& steps_;
  const std::vector<StepRow>& rows_;
  std::vector<std::pair<Nanos, Nanos>> near_;
  std::size_t middle_;
  std::size_t next_step_ = 0, next_near_ = 0;
};

// Outside of steps the summary does not say which wait is of which site. Where each kind of wait stands at one site
// alone that need not be said.
std::map<std::string, std::uint32_t> sites_by_kind(const RunSummary& summary) {
  std::map<std::string, std::uint32_t> of;
  if (!summary.region.empty()) return of;
  for (std::uint32_t i = 0; i < summary.sites.size(); ++i)
    if (summary.sites[i].kinds != 1 || !of.emplace(summary.sites[i].what, i).second) return {};
  return of;
}

}  // namespace

std::vector<std::optional<std::uint32_t>> sites_of_waits(const TimelineSource& source) {
  std::vector<std::optional<std::uint32_t>> sites(source.waits->size());
  const auto of_steps = waits_of_steps(source);
  for (std::size_t s = 0; s < of_steps.size() && s < source.summary->steps.size(); ++s) {
    const auto& seen = source.summary->steps[s].waits;
    for (std::size_t k = 0; k < of_steps[s].size() && k < seen.size(); ++k)
      if (seen[k].site < source.summary->sites.size()) sites[of_steps[s][k]] = seen[k].site;
  }
  const auto by_kind = sites_by_kind(*source.summary);
  for (std::size_t i = 0; !by_kind.empty() && i < sites.size(); ++i) {
    const Wait& wait = (*source.waits)[i];
    if (sites[i] || !is_host_wait(wait.kind)) continue;
    const auto found = by_kind.find(describe(*source.trace, wait));
    if (found != by_kind.end()) sites[i] = found->second;
  }
  return sites;
}

BlobOpening find_opening(const TimelineSource& source) {
  const auto order = steps_by_length(source);
  if (order.empty()) return {std::nullopt, longest(*source.waits)};
  const auto waits = waits_of_steps(source);
  const std::size_t middle = (order.size() - 1) / 2;
  for (std::size_t far = 0; far < order.size(); ++far)
    for (const std::size_t at : {middle + far, middle - far})
      if (at < order.size() && !waits[order[at]].empty())
        return {order[at], costliest(source, order[at], waits[order[at]])};
  return {order[middle], kNoIndex};
}

BlobContent always_kept(const BlobContent& content) {
  BlobContent kept{content.range, content.tracks, {}, content.names};
  for (const BlobRow& row : content.rows) {
    kept.rows.push_back({row.track, {}});
    std::copy_if(row.slices.begin(), row.slices.end(), std::back_inserter(kept.rows.back().slices),
                 [&](const BlobSlice& slice) { return is_always_kept(content.names[slice.name].kind); });
  }
  return kept;
}

std::vector<std::int64_t> thin_out(const TimelineSource& source, const BlobOpening& opening, std::int64_t most,
                                   BlobContent& content) {
  Ranking ranking(source, opening.step.value_or(0));
  std::vector<Rank> ranks;
  std::int64_t always = 0;
  const auto each = [&](auto body) {
    for (BlobRow& row : content.rows) {
      ranking.begin_row();
      body(row);
    }
  };
  const auto is_kept = [&](const BlobSlice& slice) { return is_always_kept(content.names[slice.name].kind); };
  each([&](BlobRow& row) {
    for (const BlobSlice& slice : row.slices) is_kept(slice) ? void(++always) : ranks.push_back(ranking.rank(slice));
  });
  std::vector<std::int64_t> gone(source.steps->steps.size() + 1, 0);
  const auto room = static_cast<std::size_t>(std::max<std::int64_t>(0, most - always));
  if (room >= ranks.size()) return gone;
  std::nth_element(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(room), ranks.end());
  const Rank first_out = ranks[room];
  std::int64_t equals = std::count(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(room), first_out);
  each([&](BlobRow& row) {
    std::erase_if(row.slices, [&](const BlobSlice& slice) {
      if (is_kept(slice)) return false;
      const Rank rank = ranking.rank(slice);
      if (rank < first_out || (rank == first_out && equals-- > 0)) return false;
      ++gone[ranking.step_of(slice)];
      return true;
    });
  });
  return gone;
}

}  // namespace zerostall
