// Activity records: kernels, copies, memsets, synchronisations, API calls, in CUPTI's layouts and buffers.
// One buffer for all threads. Records are written when work is queued (its end is known then) and delivered on the
// thread that fills a buffer or flushes; a client must not rely on order, as with the real library.
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <utility>

#include "profiler/simgpu/cupti/state.h"

namespace zerostall::simgpu::cupti {
namespace {

struct Buffer {
  std::uint8_t* data = nullptr;
  std::size_t bytes = 0, used = 0, max_records = 0, records = 0;
};

std::mutex g_lock;
Buffer g_buffer;
std::size_t g_dropped = 0;
CUpti_BuffersCallbackRequestFunc g_request = nullptr;
CUpti_BuffersCallbackCompleteFunc g_complete = nullptr;
std::array<std::atomic<bool>, CUPTI_ACTIVITY_KIND_COUNT> g_on{};
thread_local bool t_delivering = false;

bool on(CUpti_ActivityKind kind) { return g_on[kind].load(std::memory_order_relaxed); }

std::size_t record_bytes(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL:
      return sizeof(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return sizeof(CUpti_ActivityMemcpy6);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return sizeof(CUpti_ActivityMemset4);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return sizeof(CUpti_ActivitySynchronization2);
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return sizeof(CUpti_ActivityAPI);
    default:
      return 0;
  }
}

void hand_over(Buffer& buffer) {
  if (!buffer.data) return;
  const Buffer full = std::exchange(buffer, {});
  t_delivering = true;
  g_complete(nullptr, 0, full.data, full.bytes, full.used);
  t_delivering = false;
}

template <class Record>
void write(const Record& record) {
  static_assert(sizeof(Record) % 8 == 0);
  std::lock_guard guard(g_lock);
  Buffer& b = g_buffer;
  if (b.data && (b.used + sizeof record > b.bytes || (b.max_records && b.records >= b.max_records))) hand_over(b);
  if (!b.data && g_request) {
    g_request(&b.data, &b.bytes, &b.max_records);
    b.used = b.records = 0;
    if (b.data && b.bytes < sizeof record) hand_over(b);
  }
  if (!b.data) {
    ++g_dropped;
    return;
  }
  std::memcpy(b.data + b.used, &record, sizeof record);
  b.used += sizeof record;
  ++b.records;
}

std::uint64_t ns(std::int64_t time) { return static_cast<std::uint64_t>(time); }

// What the records of kernels, copies and memsets have in common.
template <class Record>
Record record_of(CUpti_ActivityKind kind, const Work& w) {
  Record r{};
  r.kind = kind;
  r.start = ns(w.begin_ns);
  r.end = ns(w.end_ns);
  r.deviceId = kDevice;
  r.contextId = kContext;
  r.streamId = w.stream_id;
  r.correlationId = w.correlation;
  return r;
}

void write_kernel(const Work& w) {
  auto k = record_of<CUpti_ActivityKernel10>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, w);
  k.completed = k.end;
  k.gridX = static_cast<int>(w.grid.x);
  k.gridY = static_cast<int>(w.grid.y);
  k.gridZ = static_cast<int>(w.grid.z);
  k.blockX = static_cast<int>(w.block.x);
  k.blockY = static_cast<int>(w.block.y);
  k.blockZ = static_cast<int>(w.block.z);
  k.dynamicSharedMemory = static_cast<int>(w.shared_bytes);
  k.registersPerThread = 32;
  k.name = w.name;
  write(k);
}

void write_copy(const Work& w) {
  auto c = record_of<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_MEMCPY, w);
  c.copyKind = w.copy_kind;
  c.srcKind = w.source_memory;
  c.dstKind = w.target_memory;
  c.flags = w.async ? CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC : 0;
  c.bytes = w.bytes;
  c.copyCount = 1;
  write(c);
}

void write_memset(const Work& w) {
  auto m = record_of<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET, w);
  m.value = w.value;
  m.bytes = w.bytes;
  m.flags = static_cast<std::uint16_t>(w.async ? CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC : 0);
  m.memoryKind = w.target_memory;
  write(m);
}

CUpti_ActivityKind api_kind(int domain) {
  return domain == 2 ? CUPTI_ACTIVITY_KIND_RUNTIME : CUPTI_ACTIVITY_KIND_DRIVER;
}

}  // namespace

bool activities_wanted() {
  for (const auto& flag : g_on)
    if (flag) return true;
  return false;
}

void activity_enter(CallInfo& call) {
  if (on(api_kind(call.domain))) call.begin_ns = static_cast<std::int64_t>(timestamp());
}

void activity_exit(const CallInfo& call, int result) {
  if (!call.begin_ns || !on(api_kind(call.domain)) || t_delivering) return;
  CUpti_ActivityAPI a{};
  a.kind = api_kind(call.domain);
  a.cbid = call.callback_id;
  a.start = ns(call.begin_ns);
  a.end = timestamp();
  a.processId = static_cast<std::uint32_t>(getpid());
  a.threadId = static_cast<std::uint32_t>(syscall(SYS_gettid));
  a.correlationId = call.correlation;
  a.returnValue = static_cast<std::uint32_t>(result);
  write(a);
}

void activity_work(const Work& w) {
  if (t_delivering) return;
  if (w.kind == WorkKind::kernel && (on(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) || on(CUPTI_ACTIVITY_KIND_KERNEL)))
    write_kernel(w);
  if (w.kind == WorkKind::copy && on(CUPTI_ACTIVITY_KIND_MEMCPY)) write_copy(w);
  if (w.kind == WorkKind::memset && on(CUPTI_ACTIVITY_KIND_MEMSET)) write_memset(w);
}

void activity_sync(const SyncInfo& s) {
  if (!on(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION) || t_delivering) return;
  CUpti_ActivitySynchronization2 r{};
  r.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  r.type = static_cast<CUpti_ActivitySynchronizationType>(s.kind);
  r.start = ns(s.begin_ns);
  r.end = ns(s.end_ns);
  r.correlationId = s.correlation;
  r.contextId = kContext;
  r.streamId = s.stream_id ? s.stream_id : static_cast<std::uint32_t>(CUPTI_SYNCHRONIZATION_INVALID_VALUE);
  r.cudaEventId = s.event_id ? s.event_id : static_cast<std::uint32_t>(CUPTI_SYNCHRONIZATION_INVALID_VALUE);
  write(r);
}

}  // namespace zerostall::simgpu::cupti

using namespace zerostall::simgpu::cupti;

extern "C" {

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  if (kind <= 0 || kind >= CUPTI_ACTIVITY_KIND_COUNT) return CUPTI_ERROR_INVALID_KIND;
  if (!record_bytes(kind)) return CUPTI_ERROR_NOT_COMPATIBLE;  // kinds the simulator writes no records of
  g_on[kind] = true;
  update_hooks();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  if (kind <= 0 || kind >= CUPTI_ACTIVITY_KIND_COUNT) return CUPTI_ERROR_INVALID_KIND;
  g_on[kind] = false;
  update_hooks();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  if (!request || !complete) return CUPTI_ERROR_INVALID_PARAMETER;
  std::lock_guard guard(g_lock);
  g_request = request;
  g_complete = complete;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlushAll(uint32_t) {
  std::lock_guard guard(g_lock);
  hand_over(g_buffer);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlushPeriod(uint32_t) {
  return CUPTI_SUCCESS;
}  // buffers are handed over when full or flushed
CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid_bytes, CUpti_Activity** record) {
  if (!buffer || !record) return CUPTI_ERROR_INVALID_PARAMETER;
  std::uint8_t* next = buffer;
  if (*record) {
    const std::size_t bytes = record_bytes((*record)->kind);
    if (!bytes) return CUPTI_ERROR_INVALID_KIND;
    next = reinterpret_cast<std::uint8_t*>(*record) + bytes;
  }
  if (next >= buffer + valid_bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t* dropped) {
  if (!dropped) return CUPTI_ERROR_INVALID_PARAMETER;
  std::lock_guard guard(g_lock);
  *dropped = std::exchange(g_dropped, 0);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute, size_t* bytes, void* value) {
  return bytes && value ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

}  // extern "C"
