// A plain text table: first column to the left, all others to the right, but for the last ones where they are words.
#pragma once
#include <string>
#include <vector>

namespace zerostall {

struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // each as long as the header, or shorter
  std::size_t words = 0;                       // how many columns at the end are words: to the left
};

// Lines end in "\n" and have no spaces at their end. Widths count characters, not bytes. Cells are made
// printable (printable.h). A table without rows renders
// as "".
std::string render_table(const Table& table);

// Number of characters (code points) of UTF-8 text.
std::size_t display_width(const std::string& text);

}  // namespace zerostall
