// What the parts of the simulated libcupti share. All state of the library lives in this one library, also for clients
// that asked for libcupti.so.12. Every function here may be called from any thread.
#pragma once
#include <cupti.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "profiler/simgpu/core/hooks.h"

namespace zerostall::simgpu::cupti {

// --- watch.cpp: the switch in core. Hooks are installed while a callback or an activity kind is on, and hear of the
// calls that somebody wants to know of. To be called after every change of that.
void update_hooks();
void update_hook_of(int domain, std::uint32_t id);  // one callback has been switched
void install_hooks();                               // only whether there are any

// What is wanted of a call: bits of CallInfo::watched.
enum Watch : std::uint8_t {
  kCallback = 1,    // the subscriber's callback
  kInnerCall = 2,   // the callback of the driver's call within it
  kCallRecord = 4,  // an activity record
  kGraphSpan = 8,   // its launch of a graph leaves one record, closed at its end
  kRest = 16,       // resources, events, memory, and everything under a client's clock
};

// --- general.cpp
extern const Hooks kHooks;
inline CUcontext context_as_handle(const Context* context) {
  return reinterpret_cast<CUcontext>(const_cast<Context*>(context));
}
std::uint32_t context_of(int device);         // CUPTI's id of a device's primary context
CUcontext context_handle(std::uint32_t id);   // null: no such context
std::uint32_t context_id(CUcontext handle);   // 0: unknown
std::uint32_t stream_id(const void* handle);  // 0: unknown
void set_client_cuda_major(int cuda_major);
int client_cuda_major();  // 13, or 12 for programs built against CUDA 12: decides record layouts

// --- callbacks.cpp: the subscriber.
bool callbacks_wanted();
bool domain_wanted(int domain);
bool callback_wanted(int domain, std::uint32_t id);  // false for ids that there are not
// Calls the subscriber; calls of CUDA that it makes meanwhile are not reported to it.
void call_subscriber(int domain, std::uint32_t id, const void* data);
void deliver_call(CallInfo& call, CUpti_ApiCallbackSite site, const int* result);
void forget_subscriber();

// --- nested.cpp: driver calls that a runtime call makes on the real stack.
bool makes_inner_call(std::uint32_t runtime_id);
// Of calls that are watched for it (kInnerCall).
void nested_enter(const CallInfo& call);
void nested_exit(const CallInfo& call, const int* result);

// --- resources.cpp: callbacks and records of contexts, streams, modules; SYNCHRONIZE callbacks.
enum class Interest { none, some_calls, all_calls };
Interest resources_interest();
void resources_enter(const CallInfo& call);
void resources_exit(const CallInfo& call, int result);
void dump_resources(CUpti_ActivityKind kind);  // DEVICE, CONTEXT, STREAM records of what exists

// --- kinds.cpp: which activity kinds are on.
extern std::array<std::atomic<bool>, CUPTI_ACTIVITY_KIND_COUNT> g_kinds;
inline bool on(CUpti_ActivityKind kind) { return g_kinds[kind].load(std::memory_order_relaxed); }
bool activities_wanted();
bool call_records_wanted(int domain, std::uint32_t id);
bool gpu_records_wanted();
void disable_all_kinds();

// Switches of single record kinds, set by the client.
struct Options {
  std::atomic<bool> all_sync_records{true}, event_device_timestamps{false}, latency_timestamps{false};
  std::atomic<CUpti_ActivityThreadIdType> thread_id_type{CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT};
  std::atomic<bool> buffer_per_thread{true};
};
Options& options();

// --- gpu_records.cpp: kernels, copies, memsets, graphs.
struct GpuItem {
  Work work;
  bool whole_graph = false;     // one record for a graph launch
  std::uint64_t queued_ns = 0;  // when the call was made, for latency timestamps
};
void gpu_work(const Work& work);
void gpu_call_exit();  // ends the record of a graph launch
// `begin`, `end` in the clock of the records.
void write_gpu_record(const GpuItem& item, std::uint64_t begin, std::uint64_t end);

// --- call_records.cpp: API calls, external correlation.
void call_record_enter(CallInfo& call);
void call_record_exit(const CallInfo& call, int result, std::uint64_t end);  // end: 0 = read the clock

// --- other_records.cpp: synchronisation and events; memory_records.cpp: allocations and pools.
void sync_record(const SyncInfo& sync);
void other_records_exit(const CallInfo& call, int result);
void memory_records_exit(const CallInfo& call);
void overhead_record(const OverheadInfo& overhead);

// --- newer.cpp: a library that knows a function more than this one's headers (ZEROSTALL_SIM_CUPTI_NEW_API).
struct NewApi {
  int domain = 0;
  std::uint32_t of = 0;  // callback id of the function whose calls are reported as the new one's
  std::uint32_t id = 0;  // past all others
  std::string name;
};
const NewApi* new_api();  // null: none

// Ids of the calling process and thread as records carry them.
std::uint32_t process_id();
std::uint32_t thread_id();
void forget_ids();  // after fork

// Generated: CUPTI's name of a callback id, or null.
const char* callback_name(int domain, std::uint32_t id);
std::uint32_t callback_count(int domain);  // ids are below this

}  // namespace zerostall::simgpu::cupti
