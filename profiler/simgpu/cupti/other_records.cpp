// Records of synchronisation, recorded events, and allocations: made from the API calls themselves.

#include <mutex>
#include <unordered_map>

#include "profiler/simgpu/cupti/client_clock.h"
#include "profiler/simgpu/cupti/records.h"

namespace zerostall::simgpu::cupti {
namespace {

constexpr std::uint32_t kNone = CUPTI_SYNCHRONIZATION_INVALID_VALUE;
thread_local bool t_told_by_core = false;  // this call's sync record is written

// The last record of each event: synchronisation records name it. Grows with the number of events, not of records.
struct Events {
  std::mutex lock;
  std::unordered_map<std::uint32_t, std::uint64_t> last_record;  // event id -> cudaEventSyncId
  std::uint64_t next = 1;
};
Events& events() {
  static Events* instance = new Events;
  return *instance;
}

template <class Params>
const Params& as(const CallInfo& call) {
  return *static_cast<const Params*>(call.params);
}

struct EventUse {
  enum Kind { none, record, wait, event_query, stream_query } kind = none;
  const void* event = nullptr;
  const void* stream = nullptr;
};

EventUse runtime_use(const CallInfo& c) {
  switch (c.callback_id) {
    case CUPTI_RUNTIME_TRACE_CBID_cudaEventRecord_v3020: {
      const auto& p = as<cudaEventRecord_v3020_params>(c);
      return {EventUse::record, p.event, p.stream};
    }
    case CUPTI_RUNTIME_TRACE_CBID_cudaEventRecordWithFlags_v11010: {
      const auto& p = as<cudaEventRecordWithFlags_v11010_params>(c);
      return {EventUse::record, p.event, p.stream};
    }
    case CUPTI_RUNTIME_TRACE_CBID_cudaStreamWaitEvent_v3020: {
      const auto& p = as<cudaStreamWaitEvent_v3020_params>(c);
      return {EventUse::wait, p.event, p.stream};
    }
    case CUPTI_RUNTIME_TRACE_CBID_cudaEventQuery_v3020:
      return {EventUse::event_query, as<cudaEventQuery_v3020_params>(c).event, nullptr};
    case CUPTI_RUNTIME_TRACE_CBID_cudaStreamQuery_v3020:
      return {EventUse::stream_query, nullptr, as<cudaStreamQuery_v3020_params>(c).stream};
    default:
      return {};
  }
}

EventUse driver_use(const CallInfo& c) {
  switch (c.callback_id) {
    case CUPTI_DRIVER_TRACE_CBID_cuEventRecord: {
      const auto& p = as<cuEventRecord_params>(c);
      return {EventUse::record, p.hEvent, p.hStream};
    }
    case CUPTI_DRIVER_TRACE_CBID_cuStreamWaitEvent: {
      const auto& p = as<cuStreamWaitEvent_params>(c);
      return {EventUse::wait, p.hEvent, p.hStream};
    }
    case CUPTI_DRIVER_TRACE_CBID_cuEventQuery:
      return {EventUse::event_query, as<cuEventQuery_params>(c).hEvent, nullptr};
    case CUPTI_DRIVER_TRACE_CBID_cuStreamQuery:
      return {EventUse::stream_query, nullptr, as<cuStreamQuery_params>(c).hStream};
    default:
      return {};
  }
}

struct Ids {
  std::uint32_t event = 0, stream = 0, context = 1;
  std::int64_t time_ns = 0;  // of the event
};

Ids ids_of(const EventUse& use) {
  Simulator& s = simulator();
  std::lock_guard guard(s.lock);
  Ids ids;
  ids.context = context_of(current_device());
  if (const Event* event = use.event ? s.timeline.event(use.event) : nullptr) {
    ids.event = event->id;
    ids.time_ns = event->time_ns;
  }
  const bool on_stream = use.kind != EventUse::event_query;
  if (const Stream* stream = on_stream ? s.timeline.stream(use.stream) : nullptr) ids.stream = stream->id;
  return ids;
}

std::uint64_t sync_id_of(std::uint32_t event) {
  std::lock_guard guard(events().lock);
  const auto it = events().last_record.find(event);
  return it == events().last_record.end() ? 0 : it->second;
}

void write_event(const CallInfo& call, const Ids& ids) {
  std::uint64_t sync_id = 0;
  {
    std::lock_guard guard(events().lock);
    sync_id = events().last_record[ids.event] = events().next++;
  }
  if (!on(CUPTI_ACTIVITY_KIND_CUDA_EVENT)) return;
  CUpti_ActivityCudaEvent2 e{};
  e.kind = CUPTI_ACTIVITY_KIND_CUDA_EVENT;
  e.correlationId = call.correlation;
  e.deviceId = static_cast<std::uint32_t>(current_device());
  e.contextId = ids.context;
  e.streamId = ids.stream;
  e.eventId = ids.event;
  e.cudaEventSyncId = sync_id;
  if (options().event_device_timestamps) e.deviceTimestamp = to_client(ids.time_ns);
  write(e);
}

void write_sync(CUpti_ActivitySynchronizationType type, std::uint64_t begin, std::uint64_t end,
                std::uint32_t correlation, const Ids& ids, int result) {
  CUpti_ActivitySynchronization2 r{};
  r.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  r.type = type;
  r.start = begin;
  r.end = end;
  r.correlationId = correlation;
  r.contextId = ids.context;
  r.streamId = ids.stream ? ids.stream : kNone;
  r.cudaEventId = ids.event ? ids.event : kNone;
  if (ids.event) r.cudaEventSyncId = sync_id_of(ids.event);
  r.returnValue = static_cast<std::uint32_t>(result);
  write(r);
}

std::uint64_t call_begin() {
  return has_client_clock() ? clock_entered() : static_cast<std::uint64_t>(simulator().clock.now());
}
std::uint64_t call_end() {
  return has_client_clock() ? host_time() : static_cast<std::uint64_t>(simulator().clock.now());
}

// Waits of streams and questions: the core tells only of calls that let the host wait.
void write_untold_sync(const CallInfo& call, const EventUse& use, const Ids& ids, int result) {
  if (t_told_by_core || !on(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION)) return;
  if (result != 0 && !options().all_sync_records) return;
  const auto type = use.kind == EventUse::wait          ? CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT
                    : use.kind == EventUse::event_query ? CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE
                                                        : CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE;
  write_sync(type, call_begin(), call_end(), call.correlation, ids, result);
}

}  // namespace

void sync_record(const SyncInfo& s) {
  if (!on(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION) || in_buffer_callback()) return;
  t_told_by_core = true;
  std::uint64_t begin = static_cast<std::uint64_t>(s.begin_ns), end = static_cast<std::uint64_t>(s.end_ns);
  if (has_client_clock()) {
    begin = clock_entered();
    end = host_time();
    clock_exit(end, s.kind != SyncKind::stream_wait_event);  // what it waited for ends before it
  }
  write_sync(static_cast<CUpti_ActivitySynchronizationType>(s.kind), begin, end, s.correlation,
             {s.event_id, s.stream_id, s.context}, 0);
}

void other_records_exit(const CallInfo& call, int result) {
  const bool sync = on(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION), event = on(CUPTI_ACTIVITY_KIND_CUDA_EVENT);
  if ((sync || event) && call.params && !in_buffer_callback()) {
    const bool runtime = call.domain == CUPTI_CB_DOMAIN_RUNTIME_API;
    const EventUse use = runtime ? runtime_use(call) : driver_use(call);
    const bool question = use.kind == EventUse::event_query || use.kind == EventUse::stream_query;
    const bool fine = result == 0 || (question && result == cudaErrorNotReady);
    if (use.kind != EventUse::none && fine) {
      const Ids ids = ids_of(use);
      if (use.kind == EventUse::record)
        write_event(call, ids);
      else
        write_untold_sync(call, use, ids, result);
    }
  }
  t_told_by_core = false;
  if (result == 0 && !in_buffer_callback()) memory_records_exit(call);
}

}  // namespace zerostall::simgpu::cupti
