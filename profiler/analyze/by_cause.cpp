#include "profiler/analyze/by_cause.h"

#include <array>

#include "profiler/analyze/summary.h"

namespace zerostall {
namespace {

void add(const Site& site, CauseRow& row) {
  // What is added to what is not known stays unknown.
  if (row.places == 0) row.drains = 0, row.avoidable_ns = 0;
  ++row.places;
  row.count += site.count;
  row.judged += site.judged;
  row.blocked_ns = add_up(row.blocked_ns, site.blocked_ns);
  row.drains = row.drains && site.drains ? std::optional(*row.drains + *site.drains) : std::nullopt;
  row.avoidable_ns = row.avoidable_ns && site.avoidable_ns
                         ? std::optional(add_up(*row.avoidable_ns, *site.avoidable_ns))
                         : std::nullopt;
}

// Host waits of each judged step, by class.
std::array<std::vector<Count>, kCauseKinds> waits_by_step(const std::vector<Site>& sites,
                                                          const std::vector<StepRow>& steps) {
  std::array<std::vector<Count>, kCauseKinds> counts;
  for (const StepRow& step : steps) {
    if (!step.judged) continue;
    for (auto& list : counts) list.emplace_back(0);
    for (const WaitSeen& wait : step.waits)
      if (wait.site < sites.size()) ++*counts[static_cast<std::size_t>(sites[wait.site].cause.kind)].back();
  }
  return counts;
}

}  // namespace

std::vector<CauseRow> sum_causes(const std::vector<Site>& sites, const std::vector<StepRow>& steps) {
  const auto counts = waits_by_step(sites, steps);
  std::vector<CauseRow> rows;
  std::array<std::size_t, kCauseKinds> position{};  // behind that of the row; 0 = none yet
  for (const Site& site : sites) {
    const auto kind = static_cast<std::size_t>(site.cause.kind);
    if (position[kind] == 0) {
      rows.push_back({});
      rows.back().kind = site.cause.kind;
      rows.back().per_step = spread_of(counts[kind]);
      position[kind] = rows.size();
    }
    add(site, rows[position[kind] - 1]);
  }
  return rows;
}

}  // namespace zerostall
