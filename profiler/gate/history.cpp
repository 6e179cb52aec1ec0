#include "profiler/gate/history.h"

#include <algorithm>

namespace zerostall {
namespace {

struct Point {
  std::size_t position = 0;
  std::int64_t value = 0;
};

bool is_parent(const HistoryCommit& parent, const HistoryCommit& child) {
  return std::find(child.parents.begin(), child.parents.end(), parent.commit) != child.parents.end();
}

}  // namespace

HistoryCommit history_of(const Baseline& baseline) {
  HistoryCommit commit;
  for (const BaselineProcess& process : baseline.processes) {
    commit.steps += process.judged;
    for (const auto& [key, count] : process.counts) {
      const auto [at, is_new] = commit.values.try_emplace(key, HistoryValue{count.min, count.max, count.sum});
      if (is_new) continue;
      HistoryValue& value = at->second;
      value.min = std::min(value.min, count.min);
      value.max = std::max(value.max, count.max);
      value.sum = add_up(value.sum, count.sum);
    }
  }
  // What is not known of all of them is not known.
  std::erase_if(commit.values, [&](const auto& value) {
    return std::any_of(baseline.processes.begin(), baseline.processes.end(),
                       [&](const BaselineProcess& process) { return !process.counts.contains(value.first); });
  });
  return commit;
}

void sort_commits(std::vector<HistoryCommit>& commits) {
  const auto is_dated = [](const HistoryCommit& commit) { return commit.committed_at.has_value(); };
  if (!std::all_of(commits.begin(), commits.end(), is_dated)) return;
  std::stable_sort(commits.begin(), commits.end(),
                   [](const HistoryCommit& a, const HistoryCommit& b) { return *a.committed_at < *b.committed_at; });
}

std::vector<Rise> rises_of(const HistorySeries& series, const std::string& metric) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < series.commits.size(); ++i)
    if (const auto value = series.commits[i].values.find(metric); value != series.commits[i].values.end())
      points.push_back({i, value->second.max});
  std::vector<Rise> rises;
  std::int64_t least_after = points.empty() ? 0 : points.back().value;  // of this point and all that follow
  for (std::size_t i = points.size(); i-- > 1;) {
    least_after = std::min(least_after, points[i].value);
    const Point &before = points[i - 1], &at = points[i];
    if (least_after <= before.value) continue;
    Rise rise{before.position, at.position, before.value, at.value, points.back().value};
    rise.certain = is_parent(series.commits[before.position], series.commits[at.position]);
    rise.seen_once = i + 1 == points.size();
    rises.push_back(rise);
  }
  std::reverse(rises.begin(), rises.end());
  return rises;
}

}  // namespace zerostall
