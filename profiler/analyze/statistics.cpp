#include "profiler/analyze/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace zerostall {
namespace {

// Of at least one sample; changes their order.
Nanos median_of(std::vector<Nanos>& samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  if (samples.size() % 2 == 1) return *middle;
  const Nanos below = *std::max_element(samples.begin(), middle);
  return below + (*middle - below) / 2;
}

struct Ranks {
  double sum_of_a = 0;
  double ties = 0;  // sum of t^3 - t over groups of t equal samples
};

// Equal samples share the mean of their ranks.
Ranks rank(std::span<const Nanos> a, std::span<const Nanos> b) {
  std::vector<std::pair<Nanos, bool>> all;  // with: is it of a
  for (const Nanos sample : a) all.emplace_back(sample, true);
  for (const Nanos sample : b) all.emplace_back(sample, false);
  std::sort(all.begin(), all.end());
  Ranks ranks;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t end = i;
    double of_a = 0;
    for (; end < all.size() && all[end].first == all[i].first; ++end) of_a += all[end].second ? 1 : 0;
    ranks.sum_of_a += of_a * (static_cast<double>(i + 1) + static_cast<double>(end)) / 2;
    const auto t = static_cast<double>(end - i);
    ranks.ties += t * t * t - t;
    i = end;
  }
  return ranks;
}

constexpr std::size_t kMostExact = 20;

// Of all orders of n + m samples without ties, in how many is u each of 0 ... n * m.
std::vector<double> orders_by_u(std::size_t n, std::size_t m) {
  // of[j][u]: with i samples of a and j of b. The largest sample is of a, and larger than all j of b, or it is of b.
  std::vector<std::vector<double>> of(m + 1, std::vector<double>(n * m + 1, 0));
  for (auto& counts : of) counts[0] = 1;  // no sample of a
  for (std::size_t i = 1; i <= n; ++i) {
    auto next = of;
    for (std::size_t j = 0; j <= m; ++j)
      for (std::size_t u = 0; u <= n * m; ++u) next[j][u] = (u >= j ? of[j][u - j] : 0) + (j > 0 ? next[j - 1][u] : 0);
    of = std::move(next);
  }
  return of[m];
}

double exact_p(std::size_t n, std::size_t m, double u) {
  const std::vector<double> orders = orders_by_u(n, m);
  double all = 0, up_to = 0, from = 0;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    all += orders[i];
    if (static_cast<double>(i) <= u) up_to += orders[i];
    if (static_cast<double>(i) >= u) from += orders[i];
  }
  return std::min(1.0, 2 * std::min(up_to, from) / all);
}

double approximate_p(double n, double m, double u, double ties) {
  const double all = n + m;
  const double variance = n * m / 12 * (all + 1 - (all > 1 ? ties / (all * (all - 1)) : 0));
  const double distance = std::abs(u - n * m / 2) - 0.5;
  if (variance <= 0 || distance <= 0) return 1;
  return std::erfc(distance / std::sqrt(2 * variance));
}

// Splitmix64: the same numbers with every standard library.
class Draw {
 public:
  std::size_t below(std::size_t count) {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<std::size_t>((z ^ (z >> 31)) % count);
  }

 private:
  std::uint64_t state_ = 20;
};

// In an order that does not depend on theirs.
std::size_t bring_in_order(Runs& runs) {
  std::erase_if(runs, [](const auto& run) { return run.empty(); });
  std::size_t samples = 0;
  for (auto& run : runs) {
    std::sort(run.begin(), run.end());
    samples += run.size();
  }
  std::sort(runs.begin(), runs.end());
  return samples;
}

Nanos drawn_median(const Runs& runs, Draw& draw, std::vector<Nanos>& drawn) {
  drawn.clear();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& run = runs[draw.below(runs.size())];
    for (std::size_t k = 0; k < run.size(); ++k) drawn.push_back(run[draw.below(run.size())]);
  }
  return median_of(drawn);
}

}  // namespace

std::optional<TimeSpread> spread_of_times(std::span<const Nanos> samples) {
  if (samples.empty()) return std::nullopt;
  std::vector<Nanos> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  TimeSpread spread;
  spread.samples = static_cast<std::int64_t>(sorted.size());
  spread.p95 = sorted[(95 * sorted.size() + 99) / 100 - 1];
  spread.median = median_of(sorted);
  for (Nanos& sample : sorted) sample = std::abs(sample - spread.median);
  spread.mad = median_of(sorted);
  return spread;
}

std::optional<RankTest> mann_whitney(std::span<const Nanos> a, std::span<const Nanos> b) {
  if (a.empty() || b.empty()) return std::nullopt;
  const Ranks ranks = rank(a, b);
  const auto n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
  RankTest test;
  test.u = ranks.sum_of_a - n * (n + 1) / 2;
  test.exact = ranks.ties == 0 && a.size() <= kMostExact && b.size() <= kMostExact;
  test.p = test.exact ? exact_p(a.size(), b.size(), test.u) : approximate_p(n, m, test.u, ranks.ties);
  return test;
}

std::optional<Interval> median_difference(Runs a, Runs b) {
  const std::size_t samples = bring_in_order(a) + bring_in_order(b);
  if (a.empty() || b.empty()) return std::nullopt;
  // Of many samples the median hardly moves: fewer rounds do, and a second is not spent on it.
  constexpr std::size_t kMostDrawn = 8'000'000, kFewestRounds = 200, kMostRounds = 2000;
  const std::size_t rounds = std::clamp(kMostDrawn / samples, kFewestRounds, kMostRounds);
  Draw draw;
  std::vector<Nanos> differences, drawn;
  for (std::size_t round = 0; round < rounds; ++round) {
    const Nanos of_a = drawn_median(a, draw, drawn);
    differences.push_back(drawn_median(b, draw, drawn) - of_a);
  }
  std::sort(differences.begin(), differences.end());
  return Interval{differences[rounds * 25 / 1000], differences[rounds * 975 / 1000 - 1]};
}

}  // namespace zerostall
