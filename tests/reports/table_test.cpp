#include "reports/table.h"

#include <gtest/gtest.h>

#include "reports/words.h"

namespace zerostall {
namespace {

TEST(Table, AlignsByCharactersAndLeavesNoSpacesAtTheEnd) {
  const Table table{{"what", "n", "note"}, {{"13 → 10", "7", "x"}, {"a", "1,234"}}};
  EXPECT_EQ(render_table(table),
            "what          n   note\n"
            "13 → 10       7      x\n"
            "a         1,234\n");
  EXPECT_EQ(render_table({{"what"}, {}}), "");
}

TEST(Words, ShowFiguresOneWay) {
  EXPECT_EQ(show(Count(3)), "3");
  EXPECT_EQ(show(Count()), "unknown");
  EXPECT_EQ(show_bytes(0), "0 B");
  EXPECT_EQ(show_bytes(999), "999 B");
  EXPECT_EQ(show_bytes(12'582'912), "12,582,912 B");
  EXPECT_EQ(show_range(Spread{2, 2, 2, 2}), "2");
  EXPECT_EQ(show_range(Spread{1, 2, 3, 3}), "1..3");
  EXPECT_EQ(show_range(std::nullopt), "unknown");
  EXPECT_EQ(show_time_range(std::nullopt), "unknown");
  EXPECT_EQ(show_time(0), "0 ms");
  EXPECT_EQ(show_time(1'500), "0.002 ms");
  EXPECT_EQ(show_time(1'254'000), "1.25 ms");
  EXPECT_EQ(show_time_range(Spread{1'251'000, 1'252'000, 1'252'000, 1'252'000}), "1.25 ms");
  EXPECT_EQ(show_time_range(Spread{12'340'000, 12'340'000, 123'400'000, 123'400'000}), "12.3..123 ms");
}

}  // namespace
}  // namespace zerostall
