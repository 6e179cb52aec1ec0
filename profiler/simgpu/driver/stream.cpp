// Driver API: streams, events, host functions and the calls that wait.
#include <cstring>
#include <utility>

#include "driver_behaviours.h"
#include "profiler/simgpu/core/capture.h"
#include "profiler/simgpu/core/streams.h"
#include "profiler/simgpu/core/wait.h"
#include "profiler/simgpu/driver/support.h"

using namespace zerostall::simgpu;

namespace {

template <class Handle>
void** out(Handle* handle) {
  return reinterpret_cast<void**>(handle);
}

template <class Value, class Member>
CUresult answer(CUstream stream, Value* value, Member StreamFacts::*member) {
  StreamFacts facts;
  if (const cudaError_t error = stream_facts(stream, &facts)) return status(error);
  if (!value) return CUDA_ERROR_INVALID_VALUE;
  *value = facts.*member;
  return CUDA_SUCCESS;
}

// The value is there as soon as the write is queued, as bytes of copies are.
CUresult write_value(CUstream stream, CUdeviceptr address, std::uint64_t value, std::size_t bytes, unsigned flags) {
  void* target = reinterpret_cast<void*>(address);
  const MemoryKind kind = simulator().memory.find(target).kind;
  const bool known_flags = (flags & ~static_cast<unsigned>(CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER)) == 0;
  if (!known_flags || address % bytes != 0 || kind == MemoryKind::pageable) return CUDA_ERROR_INVALID_VALUE;
  Operation o{};
  o.kind = OperationKind::empty;
  o.latency_ns = simulator().model.launch_latency_ns;
  o.host.call_ns = simulator().model.event_ns;
  o.effect = [=] {
    if (kind != MemoryKind::device) {
      std::memcpy(target, &value, bytes);
      return;
    }
    for (std::size_t done = 0; done < bytes; done += 4)
      simulator().memory.contents().fill(static_cast<char*>(target) + done,
                                         static_cast<std::uint32_t>(value >> (8 * done)), 4, 4);
  };
  return status(submit(stream, std::move(o)));
}

}  // namespace

extern "C" {

CUresult sim_cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
  return write_value(stream, address, value, 4, flags);
}
CUresult sim_cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags) {
  return write_value(stream, address, value, 8, flags);
}
CUresult sim_cuStreamWriteValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
  return write_value(stream, address, value, 4, flags);
}
CUresult sim_cuStreamWriteValue64(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags) {
  return write_value(stream, address, value, 8, flags);
}

CUresult sim_cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
  if (!current_context()) return CUDA_ERROR_INVALID_CONTEXT;
  return status(create_stream(out(stream), flags, priority));
}
CUresult sim_cuStreamCreate(CUstream* stream, unsigned flags) {
  return sim_cuStreamCreateWithPriority(stream, flags, 0);
}
CUresult sim_cuStreamDestroy_v2(CUstream stream) { return status(destroy_stream(stream)); }
CUresult sim_cuStreamGetPriority(CUstream stream, int* priority) {
  return answer(stream, priority, &StreamFacts::priority);
}
CUresult sim_cuStreamGetFlags(CUstream stream, unsigned* flags) { return answer(stream, flags, &StreamFacts::flags); }
CUresult sim_cuStreamGetDevice(CUstream stream, CUdevice* device) {
  return answer(stream, device, &StreamFacts::device);
}
CUresult sim_cuStreamGetId(CUstream stream, unsigned long long* id) { return answer(stream, id, &StreamFacts::id); }
CUresult sim_cuStreamGetCtx(CUstream stream, CUcontext* context) {
  int device = 0;
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = answer(stream, &device, &StreamFacts::device)) return error;
  *context = reinterpret_cast<CUcontext>(primary_context(device));
  return CUDA_SUCCESS;
}
CUresult sim_cuStreamSynchronize(CUstream stream) { return status(wait_stream(stream)); }
CUresult sim_cuStreamQuery(CUstream stream) { return status(query_stream(stream)); }
CUresult sim_cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return status(stream_wait_event(stream, event, flags));
}
CUresult sim_cuLaunchHostFunc(CUstream stream, CUhostFn function, void* argument) {
  return status(submit_host_function(stream, function, argument));
}
CUresult sim_cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* argument, unsigned flags) {
  if (!callback || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  return status(submit_callback(stream, [=] { callback(stream, CUDA_SUCCESS, argument); }));
}

CUresult sim_cuEventCreate(CUevent* event, unsigned flags) {
  if (!current_context()) return CUDA_ERROR_INVALID_CONTEXT;
  return status(create_event(out(event), flags));
}
CUresult sim_cuEventDestroy_v2(CUevent event) { return status(destroy_event(event)); }
CUresult sim_cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
  return status(record_event(event, stream, flags));
}
CUresult sim_cuEventRecord(CUevent event, CUstream stream) { return status(record_event(event, stream, 0)); }
CUresult sim_cuEventSynchronize(CUevent event) { return status(wait_event(event)); }
CUresult sim_cuEventQuery(CUevent event) { return status(query_event(event)); }
CUresult sim_cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  return status(elapsed_time(milliseconds, start, end));
}
CUresult sim_cuEventElapsedTime_v2(float* milliseconds, CUevent start, CUevent end) {
  return status(elapsed_time(milliseconds, start, end));
}

}  // extern "C"
