#include "profiler/base/strings.h"

#include <gtest/gtest.h>

#include <array>

namespace zerostall {
namespace {

TEST(StringTable, GivesEachTextOneIdAndZeroIsEmpty) {
  StringTable table;
  EXPECT_EQ(table.intern(""), 0u);
  const StringId a = table.intern("a");
  EXPECT_EQ(table.intern("b"), a + 1);
  EXPECT_EQ(table.intern("a"), a);
  EXPECT_EQ(table.text(a), "a");
  EXPECT_EQ(table.text(999), "");
  EXPECT_EQ(table.find("a"), a);
  EXPECT_EQ(table.find("never seen"), std::nullopt);
}

TEST(StringTable, KeepsItsTextsWhenItGrowsAndMoves) {
  StringTable table;
  const StringId first = table.intern("first");
  for (int i = 0; i < 10'000; ++i) table.intern(std::to_string(i));
  const StringTable moved = std::move(table);
  EXPECT_EQ(moved.text(first), "first");
  EXPECT_EQ(moved.find("9999"), moved.find("9999"));
  EXPECT_EQ(moved.text(*moved.find("9999")), "9999");
}

TEST(ClosestName, FindsTyposAndBeginningsAndNothingFar) {
  constexpr std::array<std::string_view, 3> kNames = {"bn-pinning", "async-loss", "async-loss=upstream"};
  EXPECT_EQ(closest_name("bn-pining", kNames), "bn-pinning");
  EXPECT_EQ(closest_name("asinc-los", kNames), "async-loss");
  EXPECT_EQ(closest_name("bn", kNames), "bn-pinning");
  EXPECT_EQ(closest_name("xyz", kNames), std::nullopt);
  EXPECT_EQ(closest_name("bn-pinning", {}), std::nullopt);
}

TEST(Counted, AddsThePlural) {
  EXPECT_EQ(counted(0, "wait"), "0 waits");
  EXPECT_EQ(counted(1, "wait"), "1 wait");
  EXPECT_EQ(counted(2, "stream sync"), "2 stream syncs");
}

TEST(ShellWord, IsQuotedWhereAShellWouldTakeItApart) {
  EXPECT_EQ(shell_word("train.py"), "train.py");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("it's; $HOME"), "'it'\\''s; $HOME'");
}

TEST(LastLines, MakesOneLineOfTheEndOfAText) {
  EXPECT_EQ(last_lines("one\ntwo\n\n  three \n", 2), "two | three");
  EXPECT_EQ(last_lines("colour \x1b[31mred\t!", 3), "colour  [31mred !");
  EXPECT_EQ(last_lines("\n\n", 3), "");
  EXPECT_EQ(last_lines("", 3), "");
}

TEST(Strings, ShortenedTextLosesItsEndOrItsFrontAndNoPartOfACharacter) {
  EXPECT_EQ(shortened("kernel", 6), "kernel");
  EXPECT_EQ(shortened("kernels", 6), "ker...");
  EXPECT_EQ(shortened("a/b/train.py", 11, CutAt::front), "...train.py");
  EXPECT_EQ(shortened("äöüßäöüß", 8), "äöüßäöüß");  // 8 characters of 16 bytes
  EXPECT_EQ(shortened("äöüßäöüßä", 8), "äöüßä...");
  EXPECT_EQ(shortened("äöüßäöüßä", 8, CutAt::front), "...äöüßä");
  EXPECT_EQ(shortened("long enough", 0), "l...");  // something of it stays
  EXPECT_EQ(shortened("", 4), "");
  EXPECT_EQ(characters("aä→"), 3u);
}

}  // namespace
}  // namespace zerostall
