#include "profiler/tracer/activity.h"

#include <atomic>
#include <cstdlib>

#include "profiler/tracer/collector.h"
#include "profiler/tracer/cupti_api.h"

namespace zerostall::tracer {
namespace {

using format::GpuKind;
using format::GpuRecord;

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
std::atomic<bool> g_in_use{false};  // CUPTI has asked for a buffer: it is up and has something to flush

void CUPTIAPI on_request(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records) {
  g_in_use.store(true, std::memory_order_relaxed);
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, kBufferBytes));
  *bytes = *buffer ? kBufferBytes : 0;
  *max_records = 0;
}

// Structs as of CUDA 12.0: later ones only grow at the end, so older layouts can be read from newer records. What
// kernels, copies and memsets have in common:
template <class Record>
GpuRecord common(GpuKind kind, const Record& record) {
  GpuRecord r{};
  r.kind = kind;
  r.begin_ns = static_cast<std::int64_t>(record.start);
  r.end_ns = static_cast<std::int64_t>(record.end);
  r.correlation = record.correlationId;
  r.device = record.deviceId;
  r.context = record.contextId;
  r.stream = record.streamId;
  r.graph_node = record.graphNodeId;
  return r;
}

GpuRecord from(const CUpti_ActivityKernel9& k) {
  GpuRecord r = common(GpuKind::kernel, k);
  r.name = collector().string_id(k.name ? k.name : "");  // the string lives as long as its module only: copied
  r.flags = 1;
  return r;
}

template <class Copy>
GpuRecord from_copy(const Copy& c) {
  GpuRecord r = common(GpuKind::copy, c);
  r.bytes = c.bytes;
  r.copy_kind = c.copyKind;
  r.source_memory = c.srcKind;
  r.target_memory = c.dstKind;
  r.flags = (c.flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC) ? 1 : 0;
  return r;
}

GpuRecord from(const CUpti_ActivityMemset4& m) {
  GpuRecord r = common(GpuKind::memset, m);
  r.bytes = m.bytes;
  r.target_memory = static_cast<std::uint8_t>(m.memoryKind);
  r.flags = (m.flags & CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC) ? 1 : 0;
  return r;
}

void CUPTIAPI on_complete(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid_bytes) {
  CUpti_Activity* record = nullptr;
  while (valid_bytes > 0 && cupti_api()->next_record(buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
    switch (record->kind) {
      case CUPTI_ACTIVITY_KIND_KERNEL:
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        collector().add(from(*reinterpret_cast<const CUpti_ActivityKernel9*>(record)));
        break;
      case CUPTI_ACTIVITY_KIND_MEMCPY:
        collector().add(from_copy(*reinterpret_cast<const CUpti_ActivityMemcpy5*>(record)));
        break;
      case CUPTI_ACTIVITY_KIND_MEMCPY2:
        collector().add(from_copy(*reinterpret_cast<const CUpti_ActivityMemcpyPtoP4*>(record)));
        break;
      case CUPTI_ACTIVITY_KIND_MEMSET:
        collector().add(from(*reinterpret_cast<const CUpti_ActivityMemset4*>(record)));
        break;
      default:
        break;
    }
  }
  std::free(buffer);
}

}  // namespace

bool start_activity(std::string* error) {
  const CuptiApi& api = *cupti_api();
  api.set_thread_id_type(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  if (const CUptiResult r = api.register_callbacks(on_request, on_complete); r != CUPTI_SUCCESS) {
    *error = "cuptiActivityRegisterCallbacks: " + result_text(r);
    return false;
  }
  for (const CUpti_ActivityKind kind :
       {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET})
    if (const CUptiResult r = api.enable_activity(kind); r != CUPTI_SUCCESS) {
      *error = "cuptiActivityEnable(" + std::to_string(static_cast<int>(kind)) + "): " + result_text(r);
      return false;
    }
  api.enable_activity(CUPTI_ACTIVITY_KIND_MEMCPY2);  // copies between devices: not everywhere
  return true;
}

void flush_activity() {
  if (const CuptiApi* api = cupti_api(); api && g_in_use.load(std::memory_order_relaxed)) api->flush_all(0);
}

void finish_activity() {
  const CuptiApi* api = cupti_api();
  if (!api) return;
  api->flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  std::size_t dropped = 0;
  if (api->dropped_records(nullptr, 0, &dropped) == CUPTI_SUCCESS && dropped > 0)
    collector().note(format::NoteKind::lost_records, "CUPTI dropped activity records", dropped);
}

}  // namespace zerostall::tracer
