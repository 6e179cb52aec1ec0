#include "profiler/tracer/settings.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace zerostall::tracer {
namespace {

std::string_view variable(const char* name) {
  const char* text = std::getenv(name);
  return text ? text : "";
}

std::uint64_t number(const char* name) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : 0;
}

StacksOf stacks() {
  const std::string_view text = variable("ZEROSTALL_TRACE_STACKS");
  return text == "none" ? StacksOf::none : text == "all" ? StacksOf::all : StacksOf::waits;
}

Settings read() {
  Settings s;
  s.stacks = stacks();
  s.gpu = variable("ZEROSTALL_TRACE_GPU") != "off";
  s.whole_graphs = variable("ZEROSTALL_TRACE_WHOLE_GRAPHS") == "1";
  const std::string_view window = variable("ZEROSTALL_TRACE_WINDOW");
  if (!parse_window(window, &s.window)) {
    s.window = {};
    std::fprintf(stderr, "[zerostall] ZEROSTALL_TRACE_WINDOW=%s is not understood: recording everything\n",
                 window.data());
  }
  s.max_bytes = number("ZEROSTALL_TRACE_MAX_BYTES");
  return s;
}

}  // namespace

const Settings& settings() {
  static const Settings* read_once = new Settings(read());
  return *read_once;
}

}  // namespace zerostall::tracer
