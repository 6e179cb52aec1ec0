#include "profiler/tracer/watch.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "profiler/trace/api_table.h"
#include "profiler/tracer/collector.h"
#include "profiler/tracer/stacks/python_layout.h"
#include "profiler/tracer/stacks/python_stack.h"
#include "profiler/tracer/window.h"

namespace zerostall::tracer {
namespace {

constexpr std::size_t kKept = 256;

std::atomic<int> g_watchers{0};

struct Seen {
  std::mutex lock;
  unsigned long long count = 0;
  std::array<zerostall_watched_call, kKept> calls{};  // number n stands at (n - 1) % kKept
};
// Never freed: threads may wait while the process ends. 1 MiB, made at the first watch.
Seen& seen() {
  static Seen* instance = new Seen;
  return *instance;
}

void copy_name(const char* name, zerostall_watched_call& call) {
  const std::string_view bare = strip_version(name ? name : "");
  const std::size_t length = std::min(bare.size(), sizeof call.name - 1);
  std::memcpy(call.name, bare.data(), length);
  call.name[length] = 0;
}

// As many frames as fit, each whole.
void copy_frames(const PythonStack& python, zerostall_watched_call& call) {
  std::size_t used = 0;
  call.frames[0] = 0;
  for (std::uint32_t i = 0; i < python.count; ++i) {
    const PythonFrameText text = describe(python.frames[i]);
    const std::size_t room = sizeof call.frames - used;
    const int wanted = std::snprintf(call.frames + used, room, "%s\x1f%d\x1f%s\x1e", text.file.c_str(), text.line,
                                     text.function.c_str());
    if (wanted < 0 || static_cast<std::size_t>(wanted) >= room) {
      call.frames[used] = 0;
      return;
    }
    used += static_cast<std::size_t>(wanted);
  }
}

}  // namespace

bool is_watched() { return g_watchers.load(std::memory_order_relaxed) > 0; }

void tell_watch(const char* name) {
  PythonStack python;
  walk_python_stack(python, !known_python());
  auto call = zerostall_watched_call{};
  call.thread = thread_id();
  call.python_state = static_cast<std::uint32_t>(python.state);
  copy_name(name, call);
  copy_frames(python, call);
  Seen& all = seen();
  const std::lock_guard guard(all.lock);
  all.calls[all.count++ % kKept] = call;
}

}  // namespace zerostall::tracer

extern "C" __attribute__((visibility("default"))) int zerostall_watch(int on) {
  using namespace zerostall::tracer;
  if (on) seen();  // memory is taken here, not in a call of CUDA
  g_watchers.fetch_add(on ? 1 : -1, std::memory_order_relaxed);
  return collector().is_over() || (collector().is_writing() && !in_window()) ? 0 : 1;
}

extern "C" __attribute__((visibility("default"))) unsigned long long zerostall_watched(void) {
  auto& all = zerostall::tracer::seen();
  const std::lock_guard guard(all.lock);
  return all.count;
}

extern "C" __attribute__((visibility("default"))) int zerostall_watched_at(unsigned long long number,
                                                                           zerostall_watched_call* call) {
  auto& all = zerostall::tracer::seen();
  const std::lock_guard guard(all.lock);
  if (number == 0 || number > all.count || all.count - number >= zerostall::tracer::kKept) return 0;
  *call = all.calls[(number - 1) % zerostall::tracer::kKept];
  return 1;
}
