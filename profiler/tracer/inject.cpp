// How the tracer gets going: the CUDA driver loads the library named by CUDA_INJECTION64_PATH and calls
// InitializeInjection.
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "profiler/tracer/activity.h"
#include "profiler/tracer/attendance.h"
#include "profiler/tracer/calls.h"
#include "profiler/tracer/collector.h"
#include "profiler/tracer/cupti_api.h"
#include "profiler/tracer/housekeeper.h"
#include "profiler/tracer/meta.h"
#include "profiler/tracer/own_cost.h"
#include "profiler/tracer/settings.h"
#include "profiler/tracer/stacks/stack_table.h"
#include "profiler/tracer/subscription.h"
#include "profiler/tracer/window.h"

namespace zerostall::tracer {
namespace {

// Offered by the simulated GPU, absent on a real one (profiler/simgpu/core/simulator.cpp).
using ModelFunction = const char* (*)();
using ListenerFunction = void (*)(void (*)(std::uint32_t, const char*, std::uint64_t));

void on_simulator_note(std::uint32_t kind, const char* text, std::uint64_t value) {
  if (!in_window()) return;
  collector().note(static_cast<format::NoteKind>(kind), text, value);
}

void switch_recording(bool on) {
  enable_calls(on);
  enable_activity(on);
}

// Runs in forked children too, where there is nothing to end. CUPTI is asked for the last time: what comes after, such
// as destructors of the program's globals, may find it gone.
void on_exit() {
  if (collector().is_over()) return;
  check_surroundings(true);
  if (const std::string why = why_no_window(); !why.empty()) collector().note(format::NoteKind::warning, why, 0);
  tell_own_cost();
  collector().begin_exit();
  finish_activity();
}

// When all exit handlers and destructors of the program have run; touches nothing but the file.
__attribute__((destructor)) void on_unload() { collector().finish(); }

// Python that was stopped by Ctrl-C cleans up and then kills itself with the signal, so that no exit handler runs. The
// last thing it does before is to call functions like this one. Also called in forked children, where it does nothing.
void on_python_exit() {
  if (!collector().is_writing()) return;
  flush_activity();
}

StackSink sink_for_stacks() {
  return {[](std::string_view text) { return collector().string_id(text); },
          [](StackDefinition kind, std::uint32_t id, std::string_view bytes) {
            const bool is_module = kind == StackDefinition::module;
            collector().define(is_module ? format::DefinitionKind::module : format::DefinitionKind::stack, id, bytes);
          }};
}

bool start() {
  const auto model = reinterpret_cast<ModelFunction>(dlsym(RTLD_DEFAULT, "zerostall_sim_model"));
  attend();
  if (!collector().open(meta_json(model ? model() : nullptr))) {
    attend_in_vain();
    return false;
  }
  if (settings().stacks != StacksOf::none) {
    start_stacks(sink_for_stacks());
    pthread_atfork(nullptr, nullptr, abandon_stacks);
  }
  std::string error;
  const bool ok = start_calls(&error);
  std::string no_records;
  const bool has_records = !ok || !settings().gpu || start_activity(&no_records);
  if (ok) start_windows({[] { switch_recording(true); }, [] { switch_recording(false); }});
  start_housekeeper();
  std::atexit(on_exit);
  if (const auto at_python_exit = reinterpret_cast<int (*)(void (*)())>(dlsym(RTLD_DEFAULT, "Py_AtExit")))
    at_python_exit(on_python_exit);
  if (!ok) {
    std::fprintf(stderr, "[zerostall] tracing is off: %s\n", error.c_str());
    collector().note(format::NoteKind::tool_problem, error, 0);
    return false;
  }
  check_surroundings(true);
  if (!has_records) collector().note(format::NoteKind::warning, "GPU records incomplete: " + no_records, 0);
  if (const auto listen = reinterpret_cast<ListenerFunction>(dlsym(RTLD_DEFAULT, "zerostall_sim_set_listener")))
    listen(on_simulator_note);
  return true;
}

}  // namespace
}  // namespace zerostall::tracer

// 1 = initialised. Called by the driver, perhaps from several libraries: only the first call counts.
extern "C" __attribute__((visibility("default"))) int InitializeInjection(void) {
  static std::once_flag once;
  static bool ok = false;
  std::call_once(once, [] { ok = zerostall::tracer::start(); });
  return ok ? 1 : 0;
}
