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

TEST(Table, GivesWayInItsOrder) {
  Table table{{"where", "n", "time", "note"}, {{"0123456789", "1", "2 ms", "something"}, {"x", "10", "30 ms", ""}}, 1};
  table.least_first = 6;
  table.last_below = true;
  table.drops = {2};
  EXPECT_EQ(render_table(table, {.width = 36}),
            "where         n    time   note\n0123456789    1    2 ms   something\nx            10   30 ms\n");
  EXPECT_EQ(render_table(table, {.width = 33}),  // columns move together
            "where        n   time  note\n0123456789   1   2 ms  something\nx           10  30 ms\n");
  EXPECT_EQ(render_table(table, {.width = 28}),  // the first one is shortened
            "where    n   time  note\n012...   1   2 ms  something\nx       10  30 ms\n");
  EXPECT_EQ(render_table(table, {.width = 19}),  // the last one goes below
            "where       n   time\n012345...   1   2 ms\n    something\nx          10  30 ms\n");
  EXPECT_EQ(render_table(table, {.width = 12}),  // a column is left out
            "where      n\n01234...   1\n    somet...\nx         10\nno room for:\n  time\n");
  EXPECT_EQ(render_table(table, {.width = 7}),  // no more can go: lines are cut
            "wher...\n012....\n    ...\nx   ...\nno room\n  for:\n  time\n");
}

TEST(Table, ColoursCellsWithoutMovingThem) {
  Table table{{"a", "n"}, {{"x", "1"}, {"y", "0"}}};
  table.tones = {{{0, 1}, Tone::bad}, {{1, 1}, Tone::good}};
  EXPECT_EQ(render_table(table, {.colour = true}), "\x1b[1ma   n\x1b[0m\nx   \x1b[31m1\x1b[0m\ny   \x1b[32m0\x1b[0m\n");
  EXPECT_EQ(render_table(table), "a   n\nx   1\ny   0\n");
}

TEST(Wrapped, BreaksAtSpacesAndIndentsWhatFollows) {
  EXPECT_EQ(wrapped("one two three\nfour\n", {.width = 8}), "one two\n  three\nfour\n");
  EXPECT_EQ(wrapped("one two three\n", {}), "one two three\n");
  EXPECT_EQ(wrapped("unbreakable\n", {.width = 5}), "unbreakable\n");
  EXPECT_EQ(wrapped("  a  b\n\n", {.width = 20}), "  a  b\n\n");
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
