// A library for Python scripts (ctypes): takes the caller's stack as the tracer does, and tells what was found.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "profiler/tracer/stacks/stack_table.h"

namespace {

using namespace zerostall::tracer;

std::mutex g_lock;
std::vector<std::string> g_strings{""};
std::map<std::uint32_t, std::string> g_stacks;

std::uint32_t add_string(std::string_view text) {
  const std::lock_guard guard(g_lock);
  g_strings.emplace_back(text);
  return static_cast<std::uint32_t>(g_strings.size() - 1);
}

void add_definition(StackDefinition kind, std::uint32_t id, std::string_view bytes) {
  const std::lock_guard guard(g_lock);
  if (kind == StackDefinition::stack) g_stacks[id] = bytes;
}

std::uint64_t take(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) break;
  }
  return value;
}

std::string text_of(std::uint32_t id) {
  const std::lock_guard guard(g_lock);
  constexpr const char* kStates[] = {"none", "known", "unknown"};
  std::string_view bytes = g_stacks.at(id);
  std::string text = kStates[take(bytes)];
  if ((take(bytes) & 2) != 0) text += " cut";
  for (auto native = take(bytes); native > 0; --native) take(bytes), take(bytes);
  for (auto python = take(bytes); python > 0; --python) {
    const std::string &file = g_strings[take(bytes)], &function = g_strings[take(bytes)];
    text += "\n" + file + "|" + std::to_string(take(bytes)) + "|" + function;
  }
  return text;
}

void start() {
  static const bool started = (start_stacks({add_string, add_definition}), true);
  (void)started;
}

}  // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED std::uint32_t probe() {
  start();
  return stack_id();
}

// "state", then a line "file|line|function" for each frame, innermost first. Into `out`, cut to `bytes`.
EXPORTED void probe_text(std::uint32_t id, char* out, std::size_t bytes) {
  const std::string text = text_of(id);
  std::strncpy(out, text.c_str(), bytes - 1);
  out[bytes - 1] = '\0';
}

EXPORTED std::uint32_t probe_in_new_thread() {
  std::uint32_t id = 0;
  std::thread([&] { id = probe(); }).join();
  return id;
}

// `turns` stacks from one place; how many of them are not that of the first turn.
EXPORTED std::uint32_t probe_often(std::uint32_t turns) {
  start();
  std::uint32_t first = 0, others = 0;
  for (std::uint32_t i = 0; i < turns; ++i) {
    const std::uint32_t id = stack_id();
    if (i == 0) first = id;
    others += id != first;
  }
  return others;
}

// Takes a stack from an exit handler of C, when Python is gone; prints what was known of it.
EXPORTED void probe_at_exit() {
  std::atexit([] { std::printf("at exit: %s\n", text_of(probe()).c_str()); });
}
