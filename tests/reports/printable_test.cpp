#include "profiler/base/printable.h"

#include <gtest/gtest.h>

#include "reports/oddities.h"
#include "reports/table.h"

namespace zerostall {
namespace {

TEST(Printable, LeavesTextAlone) {
  for (const char* text : {"", "train / step 4 \\ 100%", "13 → 10", "größe", "训练", "🚂"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, EscapesWhatBreaksATerminal) {
  EXPECT_EQ(printable("\x1b[31mred\x07"), "\\x1b[31mred\\x07");
  EXPECT_EQ(printable("a\nb\tc\rd\x7f"), "a\\nb\\tc\\rd\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"), "\\u009b");                      // CSI in one character
  EXPECT_EQ(printable("\xe2\x80\xae txt.exe"), "\\u202e txt.exe");  // right to left from here on
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(Printable, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(printable("caf\xe9 au lait"), "caf\\xe9 au lait");
  EXPECT_EQ(printable("\xe2\x86"), "\\xe2\\x86");                    // cut off
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");                    // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // past the end
}

TEST(Printable, KeepsRowsOfATableOnTheirLines) {
  EXPECT_EQ(render_table({{"name", "n"}, {{"a\nb\x1b", "1"}, {"\xff", "2"}}}),
            "name       n\n"
            "a\\nb\\x1b   1\n"
            "\\xff       2\n");
}

TEST(Oddities, HaveASentenceForEachName) {
  for (const char* name : {"backward_stamps", "bad_times", "bytes_after_end", "checksum_errors", "damaged_chunks",
                           "missing_strings", "open_ranges", "orphaned_calls", "overlapping_steps", "partial_records",
                           "reversed_calls", "stray_marks", "unclosed_steps", "unknown_chunks", "unknown_records",
                           "unlinked_gpu_ops", "unmatched_pops", "unreadable_meta"}) {
    EXPECT_EQ(oddity_sentence(name, 2).find(name), std::string::npos) << name;
    EXPECT_EQ(oddity_sentence(name, 2).substr(0, 2), "2 ") << name;
  }
  EXPECT_EQ(oddity_sentence("new_thing", 3), "oddity: new_thing 3");
}

}  // namespace
}  // namespace zerostall
