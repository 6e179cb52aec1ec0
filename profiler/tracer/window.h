// When to record: always, or in windows - of steps, of time, between cudaProfilerStart and cudaProfilerStop, from one
// signal to the next. Outside a window CUPTI calls us for nothing and keeps no records, so that it costs nothing.
// A window's ends are notes in the trace: what lies outside is unknown there, not zero.
//
// Threads: every function may be called from any thread.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "profiler/tracer/window_spec.h"

namespace zerostall::tracer {

// Switches recording on or off in CUPTI; given by whoever starts CUPTI.
struct WindowSwitch {
  void (*on)() = nullptr;
  void (*off)() = nullptr;
};
// Once, when the file is there and CUPTI is on. The window is that of the settings. Installs the signal handler, if one
// is asked for.
void start_windows(const WindowSwitch& turn);

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
