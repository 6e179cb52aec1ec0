#include "profiler/analyze/region.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace zerostall {
namespace {

bool is_in(const WaitSeen& wait, std::string_view region) {
  return std::find(wait.regions.begin(), wait.regions.end(), region) != wait.regions.end();
}

StepRow restrict(const StepRow& step, std::string_view region) {
  StepRow row = step;
  const auto found =
      std::find_if(step.regions.begin(), step.regions.end(), [&](const RegionRow& r) { return r.name == region; });
  row.counters = found == step.regions.end() ? Counters{} : found->counters;
  row.regions = {{std::string(region), row.counters}};
  row.background = Counters{};
  row.effective_ns.reset();
  row.gpu_idle.reset();
  row.implicit_ns = 0;
  row.kernels.reset();
  std::erase_if(row.waits, [&](const WaitSeen& wait) { return !is_in(wait, region); });
  return row;
}

// What the waits of the steps tell of each site.
struct Seen {
  std::map<std::string, std::int64_t> kinds;
  std::vector<Count> judged;
  bool drains_known = true, avoidable_known = true;
  std::int64_t count = 0, drains = 0;
  Nanos blocked_ns = 0, avoidable_ns = 0;
};

void add(const WaitSeen& wait, Seen& seen) {
  ++seen.count;
  ++seen.kinds[wait.what];
  seen.blocked_ns = add_up(seen.blocked_ns, wait.time_ns);
  seen.drains_known = seen.drains_known && wait.drains.has_value();
  seen.drains += wait.drains.value_or(false);
  seen.avoidable_known = seen.avoidable_known && wait.avoidable_ns.has_value();
  seen.avoidable_ns = add_up(seen.avoidable_ns, wait.avoidable_ns.value_or(0));
}

Site restrict(const Site& whole, const Seen& seen) {
  Site site = whole;
  const auto most = std::max_element(seen.kinds.begin(), seen.kinds.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  site.what = most->first;
  site.kinds = static_cast<std::int64_t>(seen.kinds.size());
  site.count = seen.count;
  site.judged = 0;
  for (const Count& one : seen.judged) site.judged += *one;
  site.per_step = spread_of(seen.judged);
  site.drains = seen.drains_known ? std::optional(seen.drains) : std::nullopt;
  site.blocked_ns = seen.blocked_ns;
  site.avoidable_ns = seen.avoidable_known ? std::optional(seen.avoidable_ns) : std::nullopt;
  return site;
}

std::vector<Seen> look_at(const std::vector<StepRow>& steps, std::size_t sites, std::size_t judged_steps) {
  std::vector<Seen> seen(sites);
  for (Seen& site : seen) site.judged.resize(judged_steps, 0);
  std::size_t judged = 0;
  for (const StepRow& step : steps) {
    for (const WaitSeen& wait : step.waits) {
      if (wait.site >= sites) continue;
      add(wait, seen[wait.site]);
      if (step.judged) ++*seen[wait.site].judged[judged];
    }
    judged += step.judged;
  }
  return seen;
}

// Puts the sites of the region's waits in order, and tells the waits where theirs now stands.
void find_sites(const RunSummary& whole, RunSummary& run) {
  const auto seen = look_at(run.steps, whole.sites.size(), static_cast<std::size_t>(run.judged()));
  std::vector<std::pair<Site, std::size_t>> found;
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (seen[i].count > 0) found.emplace_back(restrict(whole.sites[i], seen[i]), i);
  std::stable_sort(found.begin(), found.end(),
                   [&](const auto& a, const auto& b) { return comes_before(a.first, b.first, run.meta.clock); });
  std::vector<std::uint32_t> now(whole.sites.size(), kNoSite);
  for (auto& [site, was] : found) {
    now[was] = static_cast<std::uint32_t>(run.sites.size());
    run.sites.push_back(std::move(site));
  }
  for (StepRow& step : run.steps)
    for (WaitSeen& wait : step.waits)
      if (wait.site < now.size()) wait.site = now[wait.site];
}

}  // namespace

std::optional<RunSummary> in_region(const RunSummary& whole, std::string_view region) {
  const auto found = std::find_if(whole.regions.begin(), whole.regions.end(),
                                  [&](const RegionSummary& r) { return r.name == region; });
  if (found == whole.regions.end()) return std::nullopt;
  RunSummary run = whole;
  run.region = region;
  run.background = run.unclosed = run.outside = run.totals = Counters{};
  run.outside_regions.clear();
  for (StepRow& step : run.steps) {
    step = restrict(step, region);
    run.totals.add(step.counters);
  }
  run.per_step = found->per_step;
  run.regions = {*found};
  run.waits_by_what.clear();
  for (const StepRow& step : run.steps)
    for (const WaitSeen& wait : step.waits) ++run.waits_by_what[wait.what];
  run.sites.clear();
  find_sites(whole, run);
  run.causes = sum_causes(run.sites, run.steps);
  run.threads.clear();
  run.streams.clear();
  run.stacks.clear();
  run.calls.clear();
  run.copies.clear();
  return run;
}

}  // namespace zerostall
