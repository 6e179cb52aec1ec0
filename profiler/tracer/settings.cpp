#include "profiler/tracer/settings.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace zerostall::tracer {
namespace {

std::string_view variable(const char* name) {
  const char* text = std::getenv(name);
  return text ? text : "";
}

void tell_unknown(const char* name, const char* instead) {
  std::fprintf(stderr, "[zerostall] %s=%s is not understood: %s\n", name, variable(name).data(), instead);
}

// A number of bytes, in digits alone.
std::uint64_t max_bytes() {
  constexpr const char* kName = "ZEROSTALL_TRACE_MAX_BYTES";
  const std::string_view text = variable(kName);
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || (parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size())) return value;
  tell_unknown(kName, "the trace may grow without limit");
  return 0;
}

StacksOf stacks() {
  constexpr const char* kName = "ZEROSTALL_TRACE_STACKS";
  const std::string_view text = variable(kName);
  if (text == "none") return StacksOf::none;
  if (text == "all") return StacksOf::all;
  if (!text.empty() && text != "waits") tell_unknown(kName, "taking the stacks of waits");
  return StacksOf::waits;
}

Settings read() {
  Settings s;
  s.stacks = stacks();
  s.gpu = variable("ZEROSTALL_TRACE_GPU") != "off";
  s.whole_graphs = variable("ZEROSTALL_TRACE_WHOLE_GRAPHS") == "1";
  const std::string_view window = variable("ZEROSTALL_TRACE_WINDOW");
  if (!parse_window(window, &s.window)) {
    s.window = {};
    tell_unknown("ZEROSTALL_TRACE_WINDOW", "recording everything");
  }
  s.max_bytes = max_bytes();
  return s;
}

}  // namespace

const Settings& settings() {
  static const Settings* read_once = new Settings(read());
  return *read_once;
}

}  // namespace zerostall::tracer
