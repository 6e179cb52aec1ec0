// Which window to record, as ZEROSTALL_TRACE_WINDOW names it.
#pragma once
#include <cstdint>
#include <string_view>

namespace zerostall::tracer {

struct Window {
  enum class Kind : std::uint8_t { always, steps, seconds, profiler_api, signal };
  Kind kind = Kind::always;
  std::int64_t first = 0, end = 0;  // steps or seconds since the first CUDA call: the first in it, the first behind it
  int signal = 0;
};

// "steps:10:50", "seconds:5:60", "profiler", "signal:12"; "" = always. False: not of that form.
bool parse_window(std::string_view text, Window* window);

}  // namespace zerostall::tracer
