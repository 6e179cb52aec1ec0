#include "reports/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "profiler/base/printable.h"

namespace zerostall {
namespace {

constexpr std::size_t kGap = 3, kNarrowGap = 2;
constexpr std::string_view kBelow = "    ";  // in front of a cell under its row
constexpr std::string_view kPlain = "\x1b[0m", kBold = "\x1b[1m";

std::string_view code_of(Tone tone) {
  switch (tone) {
    case Tone::good:
      return "\x1b[32m";
    case Tone::notable:
      return "\x1b[33m";
    case Tone::bad:
      return "\x1b[31m";
    case Tone::plain:
      break;
  }
  return {};
}

// What of a table is shown, and how wide.
struct Layout {
  std::vector<std::size_t> columns;  // positions in the header
  std::vector<std::size_t> widths;   // of those
  std::size_t gap = kGap;
  bool last_below = false;
  std::vector<std::size_t> dropped;

  std::size_t total() const {
    return std::accumulate(widths.begin(), widths.end(), std::size_t{0}) +
           (columns.empty() ? 0 : gap * (columns.size() - 1));
  }
};

std::size_t width_of(const Table& table, std::size_t column) {
  std::size_t width = display_width(table.header[column]);
  for (const auto& row : table.rows)
    if (column < row.size()) width = std::max(width, display_width(row[column]));
  return width;
}

// Narrows the first column as far as it may be, and must.
bool fits(const Table& table, Layout& layout, std::size_t width) {
  const std::size_t all = layout.total();
  if (width == 0 || all <= width) return true;
  if (layout.gap == kGap || table.least_first == 0 || layout.widths.empty()) return false;
  const std::size_t first = layout.widths.front(), least = std::min(first, table.least_first);
  layout.widths.front() = std::max(least, first - std::min(first, all - width));
  return layout.total() <= width;
}

Layout lay_out(const Table& table, std::size_t width) {
  Layout layout;
  const auto take = [&](std::size_t columns) {
    layout.columns.clear(), layout.widths.clear();
    for (std::size_t i = 0; i < columns; ++i) {
      if (std::find(layout.dropped.begin(), layout.dropped.end(), i) != layout.dropped.end()) continue;
      layout.columns.push_back(i);
      layout.widths.push_back(width_of(table, i));
    }
    return fits(table, layout, width);
  };
  if (take(table.header.size())) return layout;
  layout.gap = kNarrowGap;
  if (take(table.header.size())) return layout;
  layout.last_below = table.last_below;
  const std::size_t columns = table.header.size() - (table.last_below ? 1 : 0);
  layout.gap = kGap;
  if (take(columns)) return layout;
  layout.gap = kNarrowGap;
  if (take(columns)) return layout;
  for (const std::size_t column : table.drops) {
    layout.dropped.push_back(column);
    if (take(columns)) break;
  }
  return layout;
}

std::string render_row(const Table& table, const std::vector<std::string>& row, const Layout& layout,
                       const TextStyle& style, std::size_t at, bool is_header) {
  std::string plain, line;
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    const std::size_t column = layout.columns[i];
    if (column >= row.size()) continue;
    std::string cell = row[column];
    if (i == 0) cell = shortened(cell, layout.widths[0], at < table.cuts.size() ? table.cuts[at] : CutAt::end);
    const std::string padding(layout.widths[i] - std::min(layout.widths[i], display_width(cell)), ' ');
    const bool left = column == 0 || column + table.words >= table.header.size();
    const std::string gap(i > 0 ? layout.gap : 0, ' ');
    plain += gap + (left ? cell + padding : padding + cell);
    const auto tone = table.tones.find({at, column});
    if (!is_header && tone != table.tones.end() && tone->second != Tone::plain)
      cell = fmt::format("{}{}{}", code_of(tone->second), cell, kPlain);
    line += gap + (left ? cell + padding : padding + cell);
  }
  const auto strip = [](std::string& text) { text.erase(text.find_last_not_of(' ') + 1); };
  strip(plain), strip(line);
  const bool too_long = style.width > 0 && display_width(plain) > style.width;
  if (too_long) line = plain = shortened(plain, style.width);  // without colour: its codes could be cut
  if (!style.colour) return plain + "\n";
  return is_header ? fmt::format("{}{}{}\n", kBold, plain, kPlain) : line + "\n";
}

std::string left_out(const Table& table, const Layout& layout) {
  std::string names;
  for (const std::size_t column : layout.dropped) names += (names.empty() ? "" : ", ") + table.header[column];
  return names.empty() ? "" : fmt::format("no room for: {}\n", names);
}

}  // namespace

std::size_t display_width(const std::string& text) { return characters(text); }

std::string render_table(const Table& raw, const TextStyle& style) {
  if (raw.rows.empty()) return {};
  Table table = raw;
  const auto clean = [](std::vector<std::string>& row) {
    for (std::string& cell : row) cell = printable(cell);
  };
  clean(table.header);
  for (auto& row : table.rows) clean(row);
  const Layout layout = lay_out(table, style.width);
  std::string text = render_row(table, table.header, layout, style, table.rows.size(), true);
  const std::size_t last = table.header.size() - 1;
  for (std::size_t at = 0; at < table.rows.size(); ++at) {
    const auto& row = table.rows[at];
    text += render_row(table, row, layout, style, at, false);
    if (layout.last_below && row.size() > last && !row[last].empty())
      text += shortened(std::string(kBelow) + row[last], style.width) + "\n";
  }
  return text + wrapped(left_out(table, layout), style);
}

std::string wrapped(const std::string& lines, const TextStyle& style) {
  constexpr std::size_t kIndent = 2;
  if (style.width <= kIndent + 1) return lines;
  std::string text;
  std::size_t used = 0;  // characters of the line so far
  for (std::size_t at = 0; at < lines.size();) {
    if (lines[at] == '\n') {
      text += '\n';
      used = 0;
      ++at;
      continue;
    }
    // A word with the spaces in front of it.
    const std::size_t begin = std::min(lines.find_first_not_of(' ', at), lines.size());
    const std::size_t end = std::min(lines.find_first_of(" \n", begin), lines.size());
    const std::string word = lines.substr(begin, end - begin);
    const std::size_t spaces = begin - at, length = display_width(word);
    if (used > kIndent && used + spaces + length > style.width) {
      text += "\n" + std::string(kIndent, ' ') + word;
      used = kIndent + length;
    } else {
      text += std::string(spaces, ' ') + word;
      used += spaces + length;
    }
    at = end;
  }
  return text;
}

}  // namespace zerostall
