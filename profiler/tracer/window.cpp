#include "profiler/tracer/window.h"

#include <signal.h>

#include <atomic>
#include <functional>
#include <mutex>

#include "profiler/tracer/collector.h"
#include "profiler/tracer/own_cost.h"
#include "profiler/tracer/settings.h"
#include "profiler/tracer/step_name.h"

namespace zerostall::tracer {
namespace {

// What changes while the program runs. Never destroyed: callbacks come until the very end.
struct State {
  Window window;
  WindowSwitch turn;
  std::mutex lock;  // switching; not taken while the state stays as it is
  std::atomic<bool> open{true};
  std::atomic<std::int64_t> steps_seen{0};
  std::atomic<bool> ever_open{true};
  std::atomic<int> signals{0};
  int signals_done = 0;
  std::int64_t started_ns = 0;
};
bool starts_open(const Window& window) {
  return window.kind == Window::Kind::always || (window.kind == Window::Kind::seconds && window.first == 0);
}

// Steps may begin before the first CUDA call, and so before start_windows().
State& state() {
  static State* instance = [] {
    auto* s = new State;
    s->window = settings().window;
    s->open = s->ever_open = starts_open(s->window);
    return s;
  }();
  return *instance;
}

// The step range that this thread is in: its level, -1 = none; and whether the window closes when it ends. Ranges
// inside it are no steps of their own, whatever they are called ("batch 0" in "step 7"): the analysis sees that
// likewise.
thread_local int t_step_level = -1;
thread_local bool t_is_last = false;
thread_local std::size_t t_step_stem = 0;  // hash of its text without the number

// Of the same name, it is no part of the step: that one was never popped.
bool is_part_of_step(std::string_view text) {
  return t_step_level >= 0 && std::hash<std::string_view>{}(step_stem(text)) != t_step_stem;
}

// A window as the trace tells it lies within the time in which calls are recorded: a step that another thread begins or
// ends while this one switches must not pass for whole. In a forked child a thread that is gone may hold the lock.
void set_open(bool open) {
  State& s = state();
  if (s.open.load(std::memory_order_acquire) == open || collector().is_over()) return;
  std::lock_guard guard(s.lock);
  if (s.open.load() == open || collector().is_over()) return;
  if (open) {
    s.ever_open = true;
    if (s.turn.on) s.turn.on();
    collector().note(format::NoteKind::window_open, "", 0);
    s.open.store(true, std::memory_order_release);
  } else {
    collector().note(format::NoteKind::window_close, "", 0);
    s.open.store(false, std::memory_order_release);
    if (s.turn.off) s.turn.off();
  }
}

void on_signal(int) { state().signals.fetch_add(1, std::memory_order_relaxed); }

// The number of the step that begins; nullopt: no step, or windows are not of steps.
std::optional<std::int64_t> number_of(std::string_view text, bool is_new) {
  State& s = state();
  if (s.window.kind != Window::Kind::steps) return std::nullopt;
  const auto name = step_name(text);
  if (!name) return std::nullopt;
  const std::int64_t seen = is_new ? s.steps_seen.fetch_add(1) : s.steps_seen.load() - 1;
  return name->number ? *name->number : seen;
}

bool is_inside(std::int64_t number) { return number >= state().window.first && number < state().window.end; }

}  // namespace

void start_windows(const WindowSwitch& turn) {
  State& s = state();
  s.started_ns = real_now_ns();
  if (s.window.kind == Window::Kind::signal) {
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(s.window.signal, &action, nullptr);
  }
  if (s.window.kind == Window::Kind::always) return;
  std::lock_guard guard(s.lock);
  s.turn = turn;
  if (!s.open && turn.off) turn.off();
  collector().note(s.open ? format::NoteKind::window_open : format::NoteKind::window_close, "", 1);
}

bool in_window() { return state().open.load(std::memory_order_acquire); }

void before_range(std::string_view text, int level) {
  if (is_part_of_step(text)) return;
  const auto number = number_of(text, true);
  if (!number) return;
  set_open(is_inside(*number));
  t_step_level = level;
  t_step_stem = std::hash<std::string_view>{}(step_stem(text));
  t_is_last = *number == state().window.end - 1;
}

void after_range(int level) {
  if (t_step_level != level) return;
  t_step_level = -1;
  if (t_is_last) set_open(false);
}

void before_instant(std::string_view text) {
  if (is_part_of_step(text)) return;
  const auto number = number_of(text, true);
  if (number && is_inside(*number)) set_open(true);
}

// An instant mark ends the step before it, so the first one behind the window still belongs there.
void after_instant(std::string_view text) {
  if (is_part_of_step(text)) return;
  const auto number = number_of(text, false);
  if (number && !is_inside(*number)) set_open(false);
}

void profiler_started() {
  if (state().window.kind == Window::Kind::profiler_api) set_open(true);
}
void profiler_stopped() {
  if (state().window.kind == Window::Kind::profiler_api) set_open(false);
}

void watch_windows() {
  State& s = state();
  if (s.window.kind == Window::Kind::seconds) {
    const std::int64_t seconds = (real_now_ns() - s.started_ns) / 1'000'000'000;
    set_open(seconds >= s.window.first && seconds < s.window.end);
  }
  if (s.window.kind != Window::Kind::signal) return;
  const int signals = s.signals.load();
  if ((signals - s.signals_done) % 2 != 0) set_open(!in_window());
  s.signals_done = signals;
}

std::string why_no_window() {
  State& s = state();
  if (s.ever_open.load()) return "";
  const std::string from_to = std::to_string(s.window.first) + " to " + std::to_string(s.window.end - 1);
  switch (s.window.kind) {
    case Window::Kind::steps:
      return s.steps_seen.load() == 0
                 ? "no step was marked, so none of " + from_to + " was recorded: mark them, e.g. with torch.cuda.nvtx"
                 : "none of the " + std::to_string(s.steps_seen.load()) + " marked steps was one of " + from_to;
    case Window::Kind::seconds:
      return "the program ended before second " + std::to_string(s.window.first);
    case Window::Kind::profiler_api:
      return "the program never called cudaProfilerStart";
    case Window::Kind::signal:
      return "the signal that starts recording never came";
    case Window::Kind::always:
      break;
  }
  return "";
}

}  // namespace zerostall::tracer
