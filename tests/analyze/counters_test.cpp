#include "profiler/analyze/counters.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace zerostall {
namespace {

TEST(SpreadOf, TakesNearestRanks) {
  std::vector<Count> samples;
  for (std::int64_t i = 20; i >= 1; --i) samples.push_back(i);
  EXPECT_EQ(spread_of(samples), (Spread{1, 10, 19, 20}));
  EXPECT_EQ(spread_of(std::vector<Count>{7}), (Spread{7, 7, 7, 7}));
  EXPECT_EQ(spread_of(std::vector<Count>{4, 1}), (Spread{1, 1, 4, 4}));
  EXPECT_EQ(spread_of(std::vector<Count>{3, 1, 2}), (Spread{1, 2, 3, 3}));
}

TEST(SpreadOf, IsUnknownWithoutSamplesOrWithAnUnknownOne) {
  EXPECT_EQ(spread_of(std::vector<Count>{}), std::nullopt);
  EXPECT_EQ(spread_of(std::vector<Count>{1, std::nullopt}), std::nullopt);
}

TEST(Counters, StayAtTheLargestNumberWhereASumDoesNotFit) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  Counters counters;
  for (int i = 0; i < 3; ++i) counters.add(Counter::blocked_ns, kMost - 1);
  EXPECT_EQ(counters[Counter::blocked_ns], kMost);
  EXPECT_EQ(add_up(-kMost, -kMost), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(add_up(kMost, -kMost), 0);
}

TEST(Counters, KeepWhatIsUnknownUnknown) {
  Counters counters;
  counters.add(Counter::waits);
  counters.add(Counter::drains, std::nullopt);
  counters.add(Counter::drains, 1);
  Counters sum;
  sum.add(counters);
  sum.add(counters);
  EXPECT_EQ(sum[Counter::waits], 2);
  EXPECT_EQ(sum[Counter::drains], std::nullopt);
  EXPECT_EQ(sum[Counter::stream_syncs], 0);
}

TEST(Counters, HaveOneKeyEach) {
  std::set<std::string_view> keys;
  for (std::size_t i = 0; i < kCounterCount; ++i) {
    EXPECT_EQ(static_cast<std::size_t>(all_counters()[i].counter), i);
    keys.insert(all_counters()[i].key);
  }
  EXPECT_EQ(keys.size(), kCounterCount);
}

}  // namespace
}  // namespace zerostall
