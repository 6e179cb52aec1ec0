// A plain text table: first column to the left, all others to the right, but for the last ones where they are words.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profiler/base/strings.h"
#include "reports/text_style.h"

namespace zerostall {

// What a cell says, as a colour: green, yellow, red.
enum class Tone : std::uint8_t { plain, good, notable, bad };

struct Table {
  std::vector<std::string> header{};
  std::vector<std::vector<std::string>> rows{};  // each as long as the header, or shorter
  std::size_t words = 0;                         // how many columns at the end are words: to the left

  // What gives way where it is wider than the style allows, in this order, behind the third space between columns:
  std::size_t least_first = 0;       // 1. cells of the first column, down to this many characters; 0 = they stay
  std::vector<CutAt> cuts{};         //    what goes of each row's; rows without an entry: the end
  bool last_below = false;           // 2. the last column goes below: each cell on a line of its own under its row
  std::vector<std::size_t> drops{};  // 3. these columns are left out, one by one; a line below the table names them
                                     // 4. what is still too long is cut at the end of the line

  std::map<std::pair<std::size_t, std::size_t>, Tone> tones{};  // by row and column
};

// Lines end in "\n" and have no spaces at their end. Widths count characters, not bytes. Cells are made
// printable (printable.h). A table without rows renders
// as "". With colour the header is bold.
std::string render_table(const Table& table, const TextStyle& style = {});

// Number of characters (code points) of UTF-8 text.
std::size_t display_width(const std::string& text);

// Lines of prose, broken at spaces where they are longer than the style allows; what follows a break is indented.
std::string wrapped(const std::string& lines, const TextStyle& style);

}  // namespace zerostall
