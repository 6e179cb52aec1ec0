#include "profiler/analyze/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace zerostall {
namespace {

TEST(SpreadOfTimes, HasMedianPercentileAndDeviation) {
  const std::vector<Nanos> samples = {9, 1, 5, 3, 100};
  EXPECT_EQ(spread_of_times(samples), (TimeSpread{5, 5, 100, 4}));                 // distances 4 4 0 2 95
  EXPECT_EQ(spread_of_times(std::vector<Nanos>{4, 9}), (TimeSpread{2, 6, 9, 2}));  // distances 2 3, middle 2.5
  EXPECT_EQ(spread_of_times({}), std::nullopt);
}

TEST(SpreadOfTimes, TakesThe95thPercentileByNearestRank) {
  std::vector<Nanos> samples;
  for (Nanos i = 1; i <= 100; ++i) samples.push_back(i);
  EXPECT_EQ(spread_of_times(samples)->p95, 95);
  samples.push_back(101);
  EXPECT_EQ(spread_of_times(samples)->p95, 96);
}

// Hollander and Wolfe (1973), permeability of membranes, as in R's documentation of wilcox.test: W = 35, p = 0.1272
// one-sided.
TEST(MannWhitney, AgreesWithHollanderAndWolfe) {
  const std::vector<Nanos> at_term = {80, 83, 189, 104, 145, 138, 191, 164, 73, 146};
  const std::vector<Nanos> early = {115, 88, 90, 74, 121};
  const auto test = mann_whitney(at_term, early);
  EXPECT_TRUE(test->exact);
  EXPECT_EQ(test->u, 35);
  EXPECT_NEAR(test->p, 2 * 0.1272, 1e-4);
}

// Age at diagnosis of diabetes, as in SciPy's documentation of mannwhitneyu: U = 17, p = 1/9 exactly.
TEST(MannWhitney, AgreesWithSciPysExample) {
  const std::vector<Nanos> men = {19, 22, 16, 29, 24}, women = {20, 11, 17, 12};
  const auto test = mann_whitney(men, women);
  EXPECT_EQ(test->u, 17);
  EXPECT_NEAR(test->p, 1.0 / 9, 1e-12);
  EXPECT_EQ(mann_whitney(women, men)->u, 3);
  EXPECT_DOUBLE_EQ(mann_whitney(women, men)->p, test->p);
}

// R's mtcars, mpg by am, with ties: wilcox.test gives W = 42, p-value = 0.001871.
TEST(MannWhitney, CorrectsForTiesAndContinuity) {
  const std::vector<Nanos> automatic = {214, 187, 181, 143, 244, 228, 192, 178, 164, 173,
                                        152, 104, 104, 147, 215, 155, 152, 133, 192};
  const std::vector<Nanos> manual = {210, 210, 228, 324, 304, 339, 273, 260, 304, 158, 197, 150, 214};
  const auto test = mann_whitney(automatic, manual);
  EXPECT_FALSE(test->exact);
  EXPECT_EQ(test->u, 42);
  EXPECT_NEAR(test->p, 0.001871, 5e-7);
}

TEST(MannWhitney, SeesNothingInWhatIsEqual) {
  const std::vector<Nanos> same(30, 7);
  EXPECT_EQ(mann_whitney(same, same)->p, 1);
  EXPECT_EQ(mann_whitney(std::vector<Nanos>{7}, std::vector<Nanos>{7})->p, 1);
  EXPECT_FALSE(mann_whitney({}, same));
}

TEST(MannWhitney, ExactAndApproximateAnswersMeet) {
  std::vector<Nanos> a, b;
  for (Nanos i = 0; i < 20; ++i) {
    a.push_back(10 * i);
    b.push_back(10 * i + 35);
  }
  const double exact = mann_whitney(a, b)->p;
  a.push_back(95);  // one sample more than the exact way takes, in the middle
  EXPECT_NEAR(mann_whitney(a, b)->p, exact, 0.03);
}

Runs some_runs(Nanos shift) {
  Runs runs(3);
  for (Nanos run = 0; run < 3; ++run)
    for (Nanos step = 0; step < 40; ++step)
      runs[static_cast<std::size_t>(run)].push_back(1000 + shift + 3 * run + (step * 17) % 29);
  return runs;
}

TEST(MedianDifference, IsTheSameEachTimeAndInAnyOrder) {
  const auto once = median_difference(some_runs(0), some_runs(50));
  EXPECT_EQ(median_difference(some_runs(0), some_runs(50)), once);
  Runs a = some_runs(0), b = some_runs(50);
  std::swap(a[0], a[2]);
  for (auto& run : b) std::reverse(run.begin(), run.end());
  EXPECT_EQ(median_difference(a, b), once);
}

TEST(MedianDifference, HoldsTheTrueShift) {
  const auto interval = median_difference(some_runs(0), some_runs(50));
  EXPECT_LT(interval->low, 50);
  EXPECT_GT(interval->high, 50);
  EXPECT_GT(interval->low, 30);
  EXPECT_LT(interval->high, 70);
  const auto none = median_difference(some_runs(0), some_runs(0));
  EXPECT_LE(none->low, 0);
  EXPECT_GE(none->high, 0);
}

// Runs that differ among themselves make the interval wide, however many steps each has.
TEST(MedianDifference, KnowsThatRunsVary) {
  const Runs steady = {std::vector<Nanos>(50, 100), std::vector<Nanos>(50, 100), std::vector<Nanos>(50, 100)};
  const Runs varying = {std::vector<Nanos>(50, 90), std::vector<Nanos>(50, 110), std::vector<Nanos>(50, 130)};
  const auto interval = median_difference(steady, varying);
  EXPECT_EQ(interval->low, -10);
  EXPECT_EQ(interval->high, 30);
  EXPECT_EQ(median_difference(steady, {}), std::nullopt);
  EXPECT_EQ(median_difference({{}}, steady), std::nullopt);
}

}  // namespace
}  // namespace zerostall
