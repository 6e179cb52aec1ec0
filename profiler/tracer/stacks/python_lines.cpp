#include "profiler/tracer/stacks/python_lines.h"

namespace zerostall::tracer {
namespace {

using Table = std::span<const std::uint8_t>;

std::int64_t in_pairs(Table table, std::int64_t line, std::size_t offset) {
  constexpr int kNoLine = -128;
  std::size_t end = 0;
  for (std::size_t i = 0; i + 1 < table.size(); i += 2) {
    const int change =
        static_cast<std::int8_t>(table[i + 1]);  // NOLINT(bugprone-signed-char-misuse): a signed difference
    if (change != kNoLine) line += change;
    end += table[i];
    if (offset < end) return change == kNoLine ? 0 : line;
  }
  return 0;
}

// Numbers of six bits a byte, lowest first; bit 6 says that more follow.
struct Numbers {
  Table table;
  std::size_t at;

  std::uint32_t take() {
    std::uint32_t value = 0;
    for (unsigned shift = 0; at < table.size(); shift += 6) {
      const std::uint8_t byte = table[at++];
      if (shift < 32) value |= (byte & 63u) << shift;
      if ((byte & 64u) == 0) break;
    }
    return value;
  }
  int take_signed() {
    const std::uint32_t value = take();
    const int size = static_cast<int>(value >> 1);
    return (value & 1) != 0 ? -size : size;
  }
};

std::int64_t in_locations(Table table, std::int64_t line, std::size_t offset) {
  constexpr std::size_t kCodeUnit = 2;
  constexpr std::uint8_t kNewEntry = 128;
  enum { one_line_0 = 10, one_line_2 = 12, no_columns = 13, full = 14, none = 15 };
  std::size_t end = 0;
  for (std::size_t i = 0; i < table.size();) {
    const std::uint8_t head = table[i];
    const int kind = (head >> 3) & 15;
    if (kind == no_columns || kind == full)
      line += Numbers{table, i + 1}.take_signed();
    else if (kind >= one_line_0 && kind <= one_line_2)
      line += kind - one_line_0;
    end += ((head & 7u) + 1u) * kCodeUnit;
    if (offset < end) return kind == none ? 0 : line;
    do ++i;
    while (i < table.size() && (table[i] & kNewEntry) == 0);  // only an entry's first byte has this bit
  }
  return 0;
}

}  // namespace

int line_of(LineTable kind, std::span<const std::uint8_t> table, int first_line, std::size_t offset) {
  const std::int64_t line =
      kind == LineTable::pairs ? in_pairs(table, first_line, offset) : in_locations(table, first_line, offset);
  return line > 0 && line <= INT32_MAX ? static_cast<int>(line) : 0;
}

}  // namespace zerostall::tracer
