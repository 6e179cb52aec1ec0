// Units of plain integers. A name of one of these types says what it counts; other names end in their unit (`_ns`,
// `_bytes`).
#pragma once
#include <cstdint>

namespace zerostall {

using Nanos = std::int64_t;   // nanoseconds: a stamp of the trace's clock, or a length of time
using Bytes = std::uint64_t;  // a size

// Stamps that a trace can hold: of the years 1823 to 2116, where they count from 1970. The difference of any two fits
// into Nanos.
inline constexpr Nanos kEarliestStamp = -(Nanos{1} << 62), kLatestStamp = (Nanos{1} << 62) - 1;

// A sum that stays at the largest or smallest number where it does not fit: only damaged traces have lengths of time
// that do not.
constexpr std::int64_t add_up(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b < 0 ? INT64_MIN : INT64_MAX;
}

}  // namespace zerostall
