#include "profiler/gate/history.h"

#include <algorithm>

#include "profiler/gate/baseline_count.h"

namespace zerostall {
namespace {

struct Point {
  std::size_t position = 0;
  std::int64_t value = 0;  // the most of a step
  BaselineCount count;
  std::int64_t steps = 0;
};

// By the rules that baselines are judged by.
bool is_more(const Point& before, const Point& now) {
  if (before.steps == 0 || now.steps == 0) return now.value > before.value;
  const gate::CountChange change = gate::change_of(before.count, before.steps, now.count, now.steps);
  return change == gate::CountChange::more_at_once || change == gate::CountChange::more_often;
}

// More often from this point on, to the end.
bool rises_in_rate(const std::vector<Point>& points, std::size_t at) {
  return std::all_of(points.begin() + std::ptrdiff_t(at), points.end(),
                     [&](const Point& later) { return is_more(points[at - 1], later); });
}

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
      points.push_back(
          {i, value->second.max, {value->second.max, value->second.sum, value->second.min}, series.commits[i].steps});
  std::vector<Rise> rises;
  std::int64_t least_after = points.empty() ? 0 : points.back().value;  // of this point and all that follow
  for (std::size_t i = points.size(); i-- > 1;) {
    least_after = std::min(least_after, points[i].value);
    const Point &before = points[i - 1], &at = points[i];
    const bool at_once = least_after > before.value;
    if (!at_once && !rises_in_rate(points, i)) continue;
    Rise rise{before.position, at.position, before.value, at.value, points.back().value};
    rise.more_often = !at_once;
    rise.from_sum = before.count.sum, rise.from_steps = before.steps;
    rise.to_sum = at.count.sum, rise.to_steps = at.steps;
    rise.certain = is_parent(series.commits[before.position], series.commits[at.position]);
    rise.seen_once = i + 1 == points.size();
    rises.push_back(rise);
  }
  std::reverse(rises.begin(), rises.end());
  return rises;
}

}  // namespace zerostall
