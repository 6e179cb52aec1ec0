// When to record: always, or in windows - of steps, of time, between cudaProfilerStart and cudaProfilerStop, from one
// signal to the next. Outside a window CUPTI calls us for nothing and keeps no records, so that it costs nothing.
// A window's ends are notes in the trace: what lies outside is unknown there, not zero.
//
// Threads: every function may be called from any thread.
#pragma once
#include <cstdint>
#include <string>
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

// Switches recording on or off in CUPTI; given by whoever starts CUPTI.
struct WindowSwitch {
  void (*on)() = nullptr;
  void (*off)() = nullptr;
};
// Once, before the first record. Installs the signal handler, if one is asked for.
void start_windows(const Window& window, const WindowSwitch& turn);

// Whether marks are recorded now.
bool in_window();

// Around the recording of marks, so that windows of steps hold whole steps. `level`: ranges of the thread around it.
void before_range(std::string_view text, int level);
void after_range(int level);
void before_instant(std::string_view text);
void after_instant(std::string_view text);

void profiler_started();
void profiler_stopped();

// Work of the housekeeper: windows of time and by signal.
void watch_windows();

// At the end: why nothing was recorded, if that is so; else "".
std::string why_no_window();

}  // namespace zerostall::tracer
