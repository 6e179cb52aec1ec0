// Overhead records: a launch that waits for a place in a full queue, code loaded when it is first needed. Of what
// tracing itself costs the simulator has no model, hence no records.
#include <cstdlib>

#include "profiler/simgpu/cupti/client_clock.h"
#include "profiler/simgpu/cupti/records.h"

namespace zerostall::simgpu::cupti {

void overhead_record(const OverheadInfo& o) {
  if (!on(CUPTI_ACTIVITY_KIND_OVERHEAD) || in_buffer_callback()) return;
  CUpti_ActivityOverhead3 r{};
  r.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  r.overheadKind = static_cast<CUpti_ActivityOverheadKind>(o.kind);
  r.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  r.objectId.pt.processId = process_id();
  r.objectId.pt.threadId = thread_id();
  r.start = static_cast<std::uint64_t>(o.begin_ns);
  r.end = static_cast<std::uint64_t>(o.end_ns);
  if (has_client_clock()) {  // in real time only what takes modelled time takes some
    r.end = host_time();
    r.start = o.end_ns > o.begin_ns ? clock_entered() : r.end;
  }
  r.correlationId = o.correlation;
  if (o.kind == OverheadKind::queue_full)  // the client frees it
    r.overheadData = std::calloc(1, sizeof(CUpti_ActivityOverheadCommandBufferFullData));
  write(r);
}

}  // namespace zerostall::simgpu::cupti
