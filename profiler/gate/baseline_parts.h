// What the parts of a baseline share; nobody else includes it.
#pragma once
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiler/gate/baseline.h"
#include "profiler/gate/baseline_count.h"

namespace zerostall::gate {

// Counts of the judged steps in front of this position of RunSummary::steps. `allowed`: waits let pass are left out;
// null = none are.
BaselineProcess measured(const RunSummary& run, const AllowedWaits* allowed,
                         std::size_t end = std::numeric_limits<std::size_t>::max());

// Metrics that baselines hold, in the order of output.
std::vector<const Metric*> baseline_metrics();

// How a place of now was found in the baseline.
enum class MatchedBy : std::uint8_t { nothing, id, edited };
struct SiteMatch {
  std::size_t before = 0;  // position there, unless by nothing
  MatchedBy by = MatchedBy::nothing;
};
// One per site of `now`; no site of `before` is taken twice. By id; else by place and kind of wait; else by place and
// cause; else, where no more is known of both places than what ran before them, by kind of wait.
std::vector<SiteMatch> match_sites(std::span<const BaselineSite> before, std::span<const BaselineSite> now);

// Of a pair of processes: their positions. Those without a partner have kNone.
inline constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
struct ProcessPair {
  std::size_t before = kNone, now = kNone;
};
// One on either side are a pair. Else by rank, a process without one by being the only such. `ambiguous`: several
// without one, or with the same.
struct PairedProcesses {
  std::vector<ProcessPair> pairs;
  bool ambiguous = false;
};
PairedProcesses pair_processes(std::span<const std::optional<std::int64_t>> before,
                               std::span<const std::optional<std::int64_t>> now);

// "rank 1", "the process without a rank".
std::string process_words(const std::optional<std::int64_t>& rank);

// Kernels per step are more than a tenth apart; unknown ones are not.
bool other_sizes(const std::optional<std::int64_t>& before, const std::optional<std::int64_t>& now);

// What of the whole recordings forbids to compare them, naming both; "" = nothing.
std::string other_recording(const Baseline& before, const Baseline& now);
// "baseline b.json", "the baseline".
std::string baseline_words(const Baseline& baseline);
// What to do about a baseline that is of something else.
std::string what_to_do(const Baseline& before);

}  // namespace zerostall::gate
