// Counts over commits: since when is one higher? Pure functions; the database is cli/history_db.h.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiler/gate/baseline.h"

namespace zerostall {

// What must be the same for counts to be one series.
struct HistoryConfiguration {
  std::string device;   // "simulated H200"
  std::string program;  // "python3.11 train.py"; "" = not known
  std::int64_t ranks = 1;
  std::string branch;  // "" = not known
  auto operator<=>(const HistoryConfiguration&) const = default;
};

// A count of one commit. Of several processes `min` and `max` are over the steps of all, `sum` and `steps` add up.
struct HistoryValue {
  std::int64_t min = 0, max = 0;  // per judged step
  std::int64_t sum = 0;
  bool operator==(const HistoryValue&) const = default;
};

struct HistoryCommit {
  std::string commit;
  std::vector<std::string> parents;            // empty = not known
  std::optional<std::int64_t> committed_at;    // seconds since 1970
  std::int64_t steps = 0;                      // judged
  std::map<std::string, HistoryValue> values;  // by Metric::key
};

struct HistorySeries {
  HistoryConfiguration configuration;
  std::vector<HistoryCommit> commits;  // in order
};

// What a recording adds. `baseline`: of the recording; without a doubt.
HistoryCommit history_of(const Baseline& baseline);

// Commits as they were added, in the order in which they were made where that is known of all: else as they came.
void sort_commits(std::vector<HistoryCommit>& commits);

// A count that rose and stayed higher to the end of the series.
struct Rise {
  std::size_t before = 0, at = 0;  // positions of the last good and the first bad commit that were measured
  std::int64_t from = 0, to = 0;   // per step
  std::int64_t now = 0;            // at the end of the series
  bool more_often = false;  // no step has more than before, but all together do: from_sum and to_sum of so many steps
  std::int64_t from_sum = 0, from_steps = 0, to_sum = 0, to_steps = 0;
  bool certain = false;    // nothing lies between the two: `at` is the first bad commit
  bool seen_once = false;  // it is the last one: whether it stays cannot be told yet
};
// In order. A spike that went back is none. Commits without the metric are as if they were not measured.
std::vector<Rise> rises_of(const HistorySeries& series, const std::string& metric);

}  // namespace zerostall
