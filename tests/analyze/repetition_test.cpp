#include "profiler/analyze/repetition.h"

#include <gtest/gtest.h>

#include <string_view>

#include "profiler/analyze/recurrence.h"

namespace zerostall {
namespace {

std::vector<std::uint32_t> tokens(std::string_view text) { return {text.begin(), text.end()}; }

std::pair<std::size_t, std::size_t> at_end(std::string_view text, std::size_t times) {
  const auto found = repeat_at_end(tokens(text), times);
  return found ? std::pair(found->length, found->period) : std::pair<std::size_t, std::size_t>(0, 0);
}

TEST(Repetition, FingerprintsTellPartsApart) {
  const auto t = tokens("abcabcabd");
  const Fingerprints prints(t);
  EXPECT_EQ(prints.of(0, 3), prints.of(3, 6));
  EXPECT_NE(prints.of(0, 3), prints.of(6, 9));
  EXPECT_NE(prints.of(0, 3), prints.of(1, 4));
  EXPECT_NE(prints.of(0, 0), prints.of(0, 1));
}

TEST(Repetition, FindsThePeriodOfTheEnd) {
  EXPECT_EQ(at_end("abcabcabc", 3), std::pair(std::size_t{9}, std::size_t{3}));
  EXPECT_EQ(at_end("xyabcabcabca", 3), std::pair(std::size_t{10}, std::size_t{3}));
  EXPECT_EQ(at_end("aabaabaab", 3), std::pair(std::size_t{9}, std::size_t{3}));
  EXPECT_EQ(at_end("abcabc", 3), std::pair(std::size_t{0}, std::size_t{0}));
  EXPECT_EQ(at_end("", 3), std::pair(std::size_t{0}, std::size_t{0}));
}

TEST(Repetition, FindsCommonEndsAndBeginnings) {
  EXPECT_EQ(common_prefix(tokens("abcd"), tokens("abd")), 2u);
  EXPECT_EQ(common_suffix(tokens("abcd"), tokens("xcd")), 2u);
  EXPECT_EQ(longest_beginning(tokens("abcd"), tokens("xababcy")).at, 3u);
  EXPECT_EQ(longest_beginning(tokens("abcd"), tokens("xababcy")).length, 3u);
  EXPECT_EQ(longest_beginning(tokens("abcd"), tokens("zzabcdabcd")).at, 2u);
}

TEST(Repetition, FindsRepetitionWithin) {
  const auto found = nested_repeats(tokens("xabcabcabcabcabcy"));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].period, 3u);
  EXPECT_EQ(found[0].begin, 1u);
  EXPECT_EQ(found[0].end, 16u);
  EXPECT_TRUE(nested_repeats(tokens("abcdefghijkl")).empty());
  EXPECT_TRUE(nested_repeats(tokens("")).empty());
}

TEST(Repetition, FindsRepetitionOfRepetition) {
  std::vector<std::size_t> periods;
  for (const Nested& n : nested_repeats(tokens("abcdabcdabcdUabcdabcdabcdUabcdabcdabcdUE")))
    periods.push_back(n.period);
  EXPECT_EQ(periods, (std::vector<std::size_t>{4, 13}));
}

TEST(Repetition, ComparesMultisets) {
  EXPECT_EQ(similarity(tokens("abc"), tokens("cab")), 1.0);
  EXPECT_EQ(similarity(tokens("aab"), tokens("ab")), 2.0 / 3);
  EXPECT_EQ(similarity(tokens("ab"), tokens("cd")), 0.0);
  EXPECT_EQ(similarity(tokens(""), tokens("")), 1.0);
}

TEST(Recurrence, GroupsAnchorsByTheGapsBetween) {
  const std::vector<std::size_t> anchors = {10, 11, 15, 110, 111, 115};
  EXPECT_EQ(possible_gaps(anchors), (std::vector<std::size_t>{0, 3}));
  EXPECT_EQ(ends_of_groups(anchors, 0), (std::vector<std::size_t>{12, 16, 112, 116}));
  EXPECT_EQ(ends_of_groups(anchors, 3), (std::vector<std::size_t>{16, 116}));
}

}  // namespace
}  // namespace zerostall
