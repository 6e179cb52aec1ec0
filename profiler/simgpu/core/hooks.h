// The private contact between API entry points and the simulated CUPTI: entry points announce calls and GPU work here,
// CUPTI installs itself as the listener. Costs one load per call while nobody listens, two for a call that the listener
// does not want to hear of.
#pragma once
#include <cuda_runtime_api.h>

#include <array>
#include <atomic>
#include <cstdint>

#include "profiler/simgpu/core/faults.h"
#include "profiler/simgpu/core/host_clock.h"
#include "profiler/simgpu/core/host_functions.h"
#include "profiler/simgpu/core/journal.h"
#include "profiler/simgpu/core/simulator.h"

namespace zerostall::simgpu {

struct CallInfo {
  int domain;  // CUpti_CallbackDomain: 1 driver, 2 runtime
  std::uint32_t callback_id;
  const char* name;    // CUPTI's name, with version suffix
  const void* params;  // the API's parameter struct of the CUPTI headers, or null
  const char* symbol;  // kernel name of launches, or null
  std::uint32_t correlation;
  std::uint64_t user_data = 0;  // CUPTI's correlationData: kept from enter to exit
  std::int64_t begin_ns = 0;    // for activity records
  std::uint8_t watched = 0;     // what the listener wants of it (g_watched)
  void* scratch = nullptr;      // kScratchBytes for the listener, kept from enter to exit
};

inline constexpr std::size_t kScratchBytes = 192;

enum class WorkKind : std::uint8_t { kernel, copy, memset };

struct Work {
  WorkKind kind;
  std::int64_t begin_ns, end_ns;
  std::uint32_t correlation, stream_id;
  std::uint64_t bytes = 0;
  std::uint8_t copy_kind = 0, source_memory = 0, target_memory = 0;
  bool async = true;
  std::uint32_t value = 0;     // memset
  const char* name = nullptr;  // kernels: lives as long as the process
  dim3 grid{1, 1, 1}, block{1, 1, 1};
  std::uint32_t shared_bytes = 0;
  std::uint32_t device = 0, context = 1;  // ordinal; CUPTI's context id: 1 + ordinal for primary contexts
  std::uint64_t graph_node = 0;           // work of a launched graph: CUPTI's node id, else 0
  std::uint32_t graph = 0;                // and the id of the executable graph
  std::uint32_t peer_device = 0;          // copies between devices: the ordinal of the target's
};

enum class SyncKind : std::uint8_t { event = 1, stream_wait_event = 2, stream = 3, context = 4 };  // CUPTI's values

struct SyncInfo {
  SyncKind kind;
  std::int64_t begin_ns, end_ns;
  std::uint32_t correlation, stream_id, event_id;  // 0 = does not apply
  std::uint32_t device = 0, context = 1;
};

// Time a call spends on more than its own work. Values are those of CUPTI's CUpti_ActivityOverheadKind.
enum class OverheadKind : std::uint32_t { module_loading = 4 << 16, function_loading = 5 << 16, queue_full = 6 << 16 };

struct OverheadInfo {
  OverheadKind kind;
  std::int64_t begin_ns, end_ns;
  std::uint32_t correlation;
};

struct Hooks {
  void (*enter)(CallInfo&);
  void (*exit)(CallInfo&, const int* result);
  void (*work)(const Work&);
  void (*sync)(const SyncInfo&);
  void (*overhead)(const OverheadInfo&);
};

extern std::atomic<const Hooks*> g_hooks;
// By domain and callback id: what the listener wants of such calls, in bits of its own. 0: it does not hear of them.
inline constexpr std::uint32_t kMostCallbackIds = 2048;
extern std::array<std::array<std::atomic<std::uint8_t>, kMostCallbackIds>, 3> g_watched;
extern constinit thread_local std::uint32_t t_correlation;  // of the API call this thread is in
std::uint32_t next_correlation();

// Loads the library named by CUDA_INJECTION64_PATH once, as the driver does on first use of the device: not for a
// function that needs none, so that a child forked after it loads its own.
void initialize_driver(const char* function);
extern std::atomic<bool> g_initialized;

// Brackets one public entry point.
class ApiCall {
 public:
  ApiCall(int domain, std::uint32_t callback_id, const char* name, const void* params, const char* symbol,
          Counter* counter)
      : previous_(t_correlation) {
    count(counter);
    if (!g_initialized.load(std::memory_order_acquire)) initialize_driver(counter->function);
    if (g_measure_host) [[unlikely]]
      enter_measured_call();
    t_correlation = next_correlation();
    fault_ = simgpu::fault(counter);
    const Hooks* hooks = g_hooks.load(std::memory_order_acquire);
    if (!hooks) return;
    const auto watched = g_watched[static_cast<std::size_t>(domain)][callback_id].load(std::memory_order_relaxed);
    if (!watched) return;
    hooks_ = hooks;
    info_ = {domain, callback_id, name, params, symbol, t_correlation, 0, 0, watched, scratch_};
    hooks_->enter(info_);
  }
  ApiCall(const ApiCall&) = delete;
  ApiCall& operator=(const ApiCall&) = delete;

  // The error to return instead of doing the work (faults.h); 0: none.
  int fault() const { return fault_; }

  template <class Status>
  Status finish(Status status) {
    if (hooks_) {
      const int result = static_cast<int>(status);
      hooks_->exit(info_, &result);
    }
    t_correlation = previous_;
    if (g_next_host_function_ns.load(std::memory_order_relaxed) != INT64_MAX) [[unlikely]]
      wake_host_functions();
    if (g_measure_host) [[unlikely]]
      leave_measured_call();
    return status;
  }

 private:
  std::uint32_t previous_;
  int fault_ = 0;
  const Hooks* hooks_ = nullptr;
  CallInfo info_;  // only with hooks
  alignas(8) unsigned char scratch_[kScratchBytes];
};

inline void publish(const Work& work) {
  if (const Hooks* hooks = g_hooks.load(std::memory_order_acquire)) hooks->work(work);
}
inline void publish(const SyncInfo& sync) {
  if (const Hooks* hooks = g_hooks.load(std::memory_order_acquire)) hooks->sync(sync);
}
inline void publish(OverheadKind kind, Span span) {
  if (const Hooks* hooks = g_hooks.load(std::memory_order_acquire))
    hooks->overhead({kind, span.begin_ns, span.end_ns, t_correlation});
}
// To be called without the simulator's lock after work was queued.
inline void publish_queue_wait() {
  const Span span = take_queue_wait();
  if (span.end_ns > span.begin_ns) [[unlikely]]
    publish(OverheadKind::queue_full, span);
}

}  // namespace zerostall::simgpu
