#include "profiler/tracer/window_spec.h"

#include <signal.h>

#include <charconv>

namespace zerostall::tracer {
namespace {

bool parse_pair(std::string_view text, Window* window) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const auto parse = [](std::string_view digits, std::int64_t* value) {
    const char* end = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data(), end, *value);
    return !digits.empty() && parsed.ec == std::errc{} && parsed.ptr == end && *value >= 0;
  };
  return parse(text.substr(0, colon), &window->first) && parse(text.substr(colon + 1), &window->end) &&
         window->first < window->end;
}

// Nobody can catch the first two, and to take the others from a program that fails would hide that it does.
bool can_be_sent(int signal) {
  for (const int other : {SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS})
    if (signal == other) return false;
  return signal > 0 && signal < NSIG;
}

}  // namespace

bool parse_window(std::string_view text, Window* window) {
  *window = {};
  if (text.empty()) return true;
  const auto cut = [&](std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
  };
  if (text == "profiler") {
    window->kind = Window::Kind::profiler_api;
    return true;
  }
  if (cut("steps:")) {
    window->kind = Window::Kind::steps;
    return parse_pair(text, window);
  }
  if (cut("seconds:")) {
    window->kind = Window::Kind::seconds;
    return parse_pair(text, window);
  }
  if (!cut("signal:")) return false;
  window->kind = Window::Kind::signal;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), window->signal);
  return parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size() && can_be_sent(window->signal);
}

}  // namespace zerostall::tracer
