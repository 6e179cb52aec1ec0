// Several runs of one program as one baseline: what any of them did is no news.
#include <algorithm>

#include "profiler/gate/baseline.h"

namespace zerostall {
namespace {

void add(BaselineCount& to, const BaselineCount& from) {
  to.max = std::max(to.max, from.max);
  to.sum += from.sum;
}

// A count that one of the runs does not know is not known of all.
void add(BaselineCounts& to, const BaselineCounts& from) {
  std::erase_if(to, [&](const auto& entry) { return !from.contains(entry.first); });
  for (auto& [key, count] : to) add(count, from.at(key));
}

void add(BaselineProcess& to, const BaselineProcess& from) {
  to.judged += from.judged;
  if (!from.kernels) to.kernels = std::nullopt;
  add(to.counts, from.counts);
  for (const auto& [region, counts] : from.regions) {
    const auto [known, is_new] = to.regions.try_emplace(region, counts);
    if (!is_new) add(known->second, counts);
  }
  for (const BaselineSite& site : from.sites) {
    const auto same = std::find_if(to.sites.begin(), to.sites.end(), [&](const BaselineSite& s) {
      return s.id == site.id && s.place == site.place && s.what == site.what;
    });
    if (same == to.sites.end())
      to.sites.push_back(site);
    else
      add(same->waits, site.waits);
  }
}

}  // namespace

Baseline merged(std::span<const Baseline> runs) {
  if (runs.empty()) return {};
  Baseline all = runs.front();
  for (const Baseline& run : runs.subspan(1)) {
    if (all.doubt.empty()) all.doubt = run.doubt;
    if (const std::string why = why_not_comparable(all, run); all.doubt.empty() && !why.empty()) all.doubt = why;
    for (const BaselineProcess& process : run.processes) {
      const auto same = std::find_if(all.processes.begin(), all.processes.end(),
                                     [&](const BaselineProcess& p) { return p.rank == process.rank; });
      if (same == all.processes.end())
        all.processes.push_back(process);
      else
        add(*same, process);
    }
  }
  return all;
}

}  // namespace zerostall
