#include "reports/table.h"

#include <algorithm>

#include "profiler/base/printable.h"

namespace zerostall {
namespace {

constexpr std::size_t kGap = 3;

std::vector<std::size_t> column_widths(const Table& table) {
  std::vector<std::size_t> widths(table.header.size(), 0);
  const auto widen = [&](const std::vector<std::string>& row) {
    for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i)
      widths[i] = std::max(widths[i], display_width(row[i]));
  };
  widen(table.header);
  for (const auto& row : table.rows) widen(row);
  return widths;
}

std::string render_row(const std::vector<std::string>& row, const std::vector<std::size_t>& widths, std::size_t words) {
  std::string line;
  for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i) {
    const std::string padding(widths[i] - display_width(row[i]), ' ');
    const bool left = i == 0 || i + words >= widths.size();
    if (i > 0) line += std::string(kGap, ' ');
    line += left ? row[i] + padding : padding + row[i];
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::size_t display_width(const std::string& text) {
  // Every byte but the continuation bytes of UTF-8 starts a character.
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string render_table(const Table& raw) {
  if (raw.rows.empty()) return {};
  Table table = raw;
  const auto clean = [](std::vector<std::string>& row) {
    for (std::string& cell : row) cell = printable(cell);
  };
  clean(table.header);
  for (auto& row : table.rows) clean(row);
  const auto widths = column_widths(table);
  std::string text = render_row(table.header, widths, table.words);
  for (const auto& row : table.rows) text += render_row(row, widths, table.words);
  return text;
}

}  // namespace zerostall
