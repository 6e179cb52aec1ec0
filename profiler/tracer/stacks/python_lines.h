// Line numbers from CPython's tables.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace zerostall::tracer {

enum class LineTable : std::uint8_t {
  pairs,     // 3.10 (PEP 626): bytes of code, change of line
  locations  // 3.11 and later: entries of one to nine bytes
};

// Line of the instruction at byte `offset` of a function whose first line is `first_line`; 0 when the table gives none
// (code the compiler made up) or is damaged.
int line_of(LineTable kind, std::span<const std::uint8_t> table, int first_line, std::size_t offset);

}  // namespace zerostall::tracer
