// Units of plain integers. A name of one of these types says what it counts; other names end in their unit (`_ns`,
// `_bytes`).
#pragma once
#include <cstdint>

namespace zerostall {

using Nanos = std::int64_t;   // nanoseconds: a stamp of the trace's clock, or a length of time
using Bytes = std::uint64_t;  // a size

}  // namespace zerostall
