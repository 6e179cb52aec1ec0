// Streams, events, host functions and the calls that wait.
#include "profiler/simgpu/core/capture.h"
#include "profiler/simgpu/core/streams.h"
#include "profiler/simgpu/core/wait.h"
#include "profiler/simgpu/runtime/support.h"
#include "runtime_behaviours.h"

using namespace zerostall::simgpu;

namespace {

template <class Handle>
void** out(Handle* handle) {
  return reinterpret_cast<void**>(handle);
}

// Answers `*value = facts.*member`.
template <class Value, class Member>
cudaError_t answer(cudaStream_t stream, Value* value, Member StreamFacts::*member) {
  StreamFacts facts;
  if (const cudaError_t error = stream_facts(stream, &facts)) return error;
  if (!value) return cudaErrorInvalidValue;
  *value = facts.*member;
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t sim_cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return create_stream(out(stream), flags, priority);
}
cudaError_t sim_cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return create_stream(out(stream), flags, 0);
}
cudaError_t sim_cudaStreamCreate(cudaStream_t* stream) { return create_stream(out(stream), cudaStreamDefault, 0); }
cudaError_t sim_cudaStreamDestroy(cudaStream_t stream) { return destroy_stream(stream); }
cudaError_t sim_cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return answer(stream, priority, &StreamFacts::priority);
}
cudaError_t sim_cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return answer(stream, flags, &StreamFacts::flags);
}
cudaError_t sim_cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return answer(stream, device, &StreamFacts::device);
}
cudaError_t sim_cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return answer(stream, id, &StreamFacts::id);
}

cudaError_t sim_cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID id, cudaStreamAttrValue* value) {
  return stream_attribute(stream, id, value);
}
cudaError_t sim_cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID id, const cudaStreamAttrValue* value) {
  return set_stream_attribute(stream, id, value);
}
cudaError_t sim_cudaStreamCopyAttributes(cudaStream_t target, cudaStream_t source) {
  return copy_stream_attributes(target, source);
}

cudaError_t sim_cudaStreamSynchronize(cudaStream_t stream) { return wait_stream(stream); }
cudaError_t sim_cudaDeviceSynchronize() { return wait_device(); }
cudaError_t sim_cudaThreadSynchronize() { return wait_device(); }
cudaError_t sim_cudaStreamQuery(cudaStream_t stream) { return query_stream(stream); }
cudaError_t sim_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return stream_wait_event(stream, event, flags);
}

cudaError_t sim_cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* argument) {
  return submit_host_function(stream, function, argument);
}
cudaError_t sim_cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* argument,
                                      unsigned flags) {
  if (!callback || flags != 0) return cudaErrorInvalidValue;
  return submit_callback(stream, [=] { callback(stream, cudaSuccess, argument); });
}

cudaError_t sim_cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) { return create_event(out(event), flags); }
cudaError_t sim_cudaEventCreate(cudaEvent_t* event) { return create_event(out(event), cudaEventDefault); }
cudaError_t sim_cudaEventDestroy(cudaEvent_t event) { return destroy_event(event); }
cudaError_t sim_cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return record_event(event, stream, flags);
}
cudaError_t sim_cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return record_event(event, stream, cudaEventRecordDefault);
}
cudaError_t sim_cudaEventQuery(cudaEvent_t event) { return query_event(event); }
cudaError_t sim_cudaEventSynchronize(cudaEvent_t event) { return wait_event(event); }
cudaError_t sim_cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return elapsed_time(milliseconds, start, end);
}

}  // extern "C"
