#include "profiler/simgpu/core/fork.h"

#include <set>

#include "profiler/simgpu/core/faults.h"
#include "profiler/simgpu/core/functions.h"
#include "profiler/simgpu/core/hooks.h"
#include "profiler/simgpu/core/journal.h"

extern "C" int __register_atfork(void (*)(), void (*)(), void (*)(), void*);  // of the GNU C library, as in the LSB

namespace zerostall::simgpu {

std::atomic<bool> g_forked{false};

namespace {

// The child still names functions and registers kernels (it may load libraries): it must find these tables whole.
void before_fork() {
  lock_journal();
  lock_functions();
}

void in_parent() {
  unlock_functions();
  unlock_journal();
}

void in_child() {
  renew_functions_lock();
  const bool used = used_device();
  unlock_journal();
  if (!used && !g_forked) return;
  g_forked = true;
  g_faults = true;
  g_hooks = nullptr;
  g_initialized = true;  // another thread may have been in the middle of it
  g_next_host_function_ns = INT64_MAX;
}

// What pthread_atfork registers is forgotten when the process starts to exit, if need be between "before" and "in the
// parent" of a fork that another thread makes: its locks would stay taken. Registered for no library it stays.
__attribute__((constructor)) void prepare_for_fork() { __register_atfork(before_fork, in_parent, in_child, nullptr); }

}  // namespace

bool needs_no_device(std::string_view function) {
  static const auto* names = new std::set<std::string_view>{"cudaGetLastError",
                                                            "cudaPeekAtLastError",
                                                            "cudaGetErrorName",
                                                            "cudaGetErrorString",
                                                            "cudaRuntimeGetVersion",
                                                            "cudaDriverGetVersion",
                                                            "cuDriverGetVersion",
                                                            "cudaGetDevice",
                                                            "cudaThreadExchangeStreamCaptureMode",
                                                            "cudaGetDriverEntryPoint",
                                                            "cudaGetDriverEntryPointByVersion",
                                                            "cuGetProcAddress",
                                                            "cuGetProcAddress_v2",
                                                            "cudaProfilerStart",
                                                            "cudaProfilerStop"};
  return names->contains(function);
}

}  // namespace zerostall::simgpu
