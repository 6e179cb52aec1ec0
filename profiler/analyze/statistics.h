// Times as distributions, and whether two of them differ. Free functions over samples: no state, no random seed of the
// moment; the same samples in any order give the same answer.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "profiler/base/units.h"

namespace zerostall {

struct TimeSpread {
  std::int64_t samples = 0;  // at least 1
  Nanos median = 0;          // of an even number: the middle of the two in the middle, rounded down
  Nanos p95 = 0;             // nearest rank: one of the samples
  Nanos mad = 0;             // median of the distances from the median
  bool operator==(const TimeSpread&) const = default;
};

// Nullopt for no samples.
std::optional<TimeSpread> spread_of_times(std::span<const Nanos> samples);

// Mann-Whitney's test, two-sided: would one sample of `a` and one of `b` be as likely to be the larger one?
struct RankTest {
  double u = 0;        // pairs in which `a` is larger; equal ones count half
  double p = 1;        // chance of a u as far from the middle, if there were no difference
  bool exact = false;  // false: by the normal approximation, corrected for ties and continuity
};

// Nullopt when a side has no samples. Exact for at most 20 samples a side without ties.
std::optional<RankTest> mann_whitney(std::span<const Nanos> a, std::span<const Nanos> b);

struct Interval {
  Nanos low = 0, high = 0;
  bool operator==(const Interval&) const = default;
};

// 95 % interval of median(b) - median(a), by drawing again from what was seen: runs first, then steps within each, so
// that what varies from run to run is in it where there are several. Outer vectors: runs. Nullopt when a side has no
// samples. Runs without any are left out.
using Runs = std::vector<std::vector<Nanos>>;
std::optional<Interval> median_difference(Runs a, Runs b);

}  // namespace zerostall
