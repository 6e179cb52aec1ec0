#include "profiler/simgpu/core/simulator.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "profiler/simgpu/core/fork.h"
#include "profiler/simgpu/core/hooks.h"
#include "profiler/simgpu/core/imports.h"
#include "profiler/simgpu/core/readback.h"

namespace zerostall::simgpu {

std::atomic<const Hooks*> g_hooks{nullptr};
std::array<std::array<std::atomic<std::uint8_t>, kMostCallbackIds>, 3> g_watched{};
constinit thread_local std::uint32_t t_correlation = 0;
constinit thread_local bool t_feeds_device = false;
std::atomic<bool> g_device_fed{false};
std::atomic<bool> g_initialized{false};

std::uint32_t next_correlation() {
  static std::atomic<std::uint32_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

Simulator& simulator() {
  static Simulator* instance = new Simulator;
  return *instance;
}

namespace {

void load_injected_library() {
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  if (!path || !*path) return;
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::fprintf(stderr, "[zerostall] simulated GPU: cannot load CUDA_INJECTION64_PATH: %s\n", dlerror());
    return;
  }
  const auto start = reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"));
  if (!start)
    std::fprintf(stderr, "[zerostall] simulated GPU: %s has no InitializeInjection\n", path);
  else
    start();  // a library that fails says so itself; the program runs on, as with the real driver
}

}  // namespace

void initialize_driver(const char* function) {
  static std::once_flag once, injected;
  static thread_local bool inside = false;  // the injected library may call CUDA itself
  if (inside) return;
  inside = true;
  std::call_once(once, [] {
    std::atexit(write_log);
    check_imports();
    load_supplied_values();
    load_faults();
  });
  const bool uses_device = !needs_no_device(function);
  if (uses_device) std::call_once(injected, load_injected_library);
  inside = false;
  if (uses_device) g_initialized.store(true, std::memory_order_release);
}

}  // namespace zerostall::simgpu

// What a tracer may ask of the simulator beyond CUPTI (both optional to it: absent on a real GPU).
extern "C" __attribute__((visibility("default"))) const char* zerostall_sim_model() {
  return zerostall::simgpu::simulator().model.id.c_str();
}
extern "C" __attribute__((visibility("default"))) void zerostall_sim_set_listener(
    zerostall::simgpu::Listener listener) {
  zerostall::simgpu::set_listener(listener);
}
