// Which activity kinds are on, and the functions that say so.
#include <mutex>

#include "profiler/simgpu/cupti/buffers.h"
#include "profiler/simgpu/cupti/client_clock.h"
#include "profiler/simgpu/cupti/layouts.h"
#include "profiler/simgpu/cupti/misbehave.h"
#include "profiler/simgpu/cupti/state.h"

namespace zerostall::simgpu::cupti {

std::array<std::atomic<bool>, CUPTI_ACTIVITY_KIND_COUNT> g_kinds{};

namespace {

constexpr std::size_t kMostIds = 2048;
std::array<std::array<std::atomic<bool>, kMostIds>, 2> g_call_ids{};  // driver, runtime: which calls leave records
std::atomic<bool> g_call_domain[2]{};                                 // whether any of them does

// Kinds whose records the simulated device never has a reason to write. A real library accepts them too, and is silent
// unless names or markers reach it through NVTX, or the program compiles or decompresses on the device.
bool accepted_but_silent(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_NAME:
    case CUPTI_ACTIVITY_KIND_MARKER:
    case CUPTI_ACTIVITY_KIND_MARKER_DATA:
    case CUPTI_ACTIVITY_KIND_JIT:
    case CUPTI_ACTIVITY_KIND_MEM_DECOMPRESS:
    case CUPTI_ACTIVITY_KIND_DEVICE_GRAPH_TRACE:
    case CUPTI_ACTIVITY_KIND_INTERNAL_LAUNCH_API:
      return true;
    default:
      return false;
  }
}

int index_of(CUpti_ActivityKind kind) {
  return kind == CUPTI_ACTIVITY_KIND_RUNTIME ? 1 : kind == CUPTI_ACTIVITY_KIND_DRIVER ? 0 : -1;
}

void set_all_calls(int index, bool enable) {
  for (auto& id : g_call_ids[static_cast<std::size_t>(index)]) id = enable;
  g_call_domain[index] = enable;
}

CUptiResult set_call(int index, CUpti_CallbackId id, bool enable) {
  if (const CUptiResult refused = refused_activity(); refused != CUPTI_SUCCESS) return refused;
  if (id >= kMostIds) return CUPTI_ERROR_INVALID_PARAMETER;
  g_call_ids[static_cast<std::size_t>(index)][id] = enable;
  if (enable) g_call_domain[index] = true;
  update_hook_of(index == 1 ? CUPTI_CB_DOMAIN_RUNTIME_API : CUPTI_CB_DOMAIN_DRIVER_API, id);
  return CUPTI_SUCCESS;
}

CUptiResult set_kind(CUpti_ActivityKind kind, bool enable) {
  if (kind <= 0 || kind >= CUPTI_ACTIVITY_KIND_COUNT) return CUPTI_ERROR_INVALID_KIND;
  if (const CUptiResult refused = refused_activity(); refused != CUPTI_SUCCESS) return refused;
  if (enable && !record_bytes(kind, client_cuda_major()) && !accepted_but_silent(kind)) {
    report_unsupported("cuptiActivityEnable of this activity kind");
    return CUPTI_ERROR_NOT_COMPATIBLE;
  }
  g_kinds[kind] = enable;
  if (const int index = index_of(kind); index >= 0) set_all_calls(index, enable);
  update_hooks();
  return CUPTI_SUCCESS;
}

}  // namespace

bool activities_wanted() {
  for (const auto& flag : g_kinds)
    if (flag) return true;
  return g_call_domain[0] || g_call_domain[1];
}

bool call_records_wanted(int domain, std::uint32_t id) {
  const int index = domain == CUPTI_CB_DOMAIN_RUNTIME_API ? 1 : 0;
  return g_call_domain[index].load(std::memory_order_relaxed) && id < kMostIds &&
         g_call_ids[static_cast<std::size_t>(index)][id].load(std::memory_order_relaxed);
}

bool gpu_records_wanted() {
  return on(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) || on(CUPTI_ACTIVITY_KIND_KERNEL) ||
         on(CUPTI_ACTIVITY_KIND_MEMCPY) || on(CUPTI_ACTIVITY_KIND_MEMCPY2) || on(CUPTI_ACTIVITY_KIND_MEMSET) ||
         on(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
}

void disable_all_kinds() {
  for (auto& flag : g_kinds) flag = false;
  set_all_calls(0, false);
  set_all_calls(1, false);
}

Options& options() {
  static Options* instance = new Options;
  return *instance;
}

}  // namespace zerostall::simgpu::cupti

using namespace zerostall::simgpu::cupti;

extern "C" {

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) { return set_kind(kind, true); }
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) { return set_kind(kind, false); }
CUptiResult cuptiActivityEnableAndDump(CUpti_ActivityKind kind) {
  const CUptiResult result = set_kind(kind, true);
  if (result == CUPTI_SUCCESS) dump_resources(kind);
  return result;
}
// Kinds are switched for all contexts: with one context that is the same.
CUptiResult cuptiActivityEnableContext(CUcontext context, CUpti_ActivityKind kind) {
  if (!context_id(context)) return CUPTI_ERROR_INVALID_CONTEXT;
  if (zerostall::simgpu::device_count() > 1) {
    zerostall::simgpu::report_unsupported("cuptiActivityEnableContext on several devices");
    return CUPTI_ERROR_NOT_COMPATIBLE;
  }
  return set_kind(kind, true);
}
CUptiResult cuptiActivityDisableContext(CUcontext context, CUpti_ActivityKind kind) {
  return context_id(context) ? set_kind(kind, false) : CUPTI_ERROR_INVALID_CONTEXT;
}
CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId id, uint8_t enable) { return set_call(0, id, enable != 0); }
CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId id, uint8_t enable) { return set_call(1, id, enable != 0); }

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  if (!request || !complete) return CUPTI_ERROR_INVALID_PARAMETER;
  if (misbehaviour().refuse_activity != CUPTI_SUCCESS) return refused_activity();  // without a driver it works
  set_buffer_callbacks(request, complete);
  set_client_cuda_major(13);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc clock) {
  if (!clock) return CUPTI_ERROR_INVALID_PARAMETER;
  set_client_clock(clock);
  update_hooks();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlushAll(uint32_t flag) {
  if (const CUptiResult refused = refused_activity(); refused != CUPTI_SUCCESS) return refused;
  if (misbehaviour().only_forced && (flag & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) == 0) return CUPTI_SUCCESS;
  release_held_back();
  flush_buffers();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlush(CUcontext, uint32_t, uint32_t flag) { return cuptiActivityFlushAll(flag); }
// Full buffers are handed over at once, which is all a periodic flush may do.
CUptiResult cuptiActivityFlushPeriod(uint32_t) { return CUPTI_SUCCESS; }
CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid_bytes, CUpti_Activity** record) {
  if (!buffer || !record) return CUPTI_ERROR_INVALID_PARAMETER;
  std::uint8_t* next = buffer;
  if (*record) {
    const std::size_t bytes = record_bytes((*record)->kind, client_cuda_major());
    if (!bytes) return CUPTI_ERROR_INVALID_KIND;
    next = reinterpret_cast<std::uint8_t*>(*record) + bytes;
  }
  if (next >= buffer + valid_bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t* dropped) {
  if (!dropped) return CUPTI_ERROR_INVALID_PARAMETER;
  *dropped = take_dropped();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnableAllSyncRecords(uint8_t enable) {
  options().all_sync_records = enable != 0;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t enable) {
  options().event_device_timestamps = enable != 0;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnableLatencyTimestamps(uint8_t enable) {
  options().latency_timestamps = enable != 0;
  return CUPTI_SUCCESS;
}

}  // extern "C"
