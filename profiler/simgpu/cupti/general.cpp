// Versions, clock, ids, detaching, and what is done at the API entry points.
#include <pthread.h>

#include <atomic>
#include <cstdlib>

#include "profiler/simgpu/core/context.h"
#include "profiler/simgpu/core/fork.h"
#include "profiler/simgpu/cupti/buffers.h"
#include "profiler/simgpu/cupti/client_clock.h"
#include "profiler/simgpu/cupti/misbehave.h"
#include "profiler/simgpu/cupti/state.h"

namespace zerostall::simgpu::cupti {
namespace {

std::atomic<int> g_client_major{13};
thread_local bool t_waited = false;  // in the API call being made

// Calls that may find work finished without telling through the sync or work hook.
bool may_wait(const CallInfo& call, int result) {
  if (result != 0) return false;
  if (call.domain == CUPTI_CB_DOMAIN_RUNTIME_API) switch (call.callback_id) {
      case CUPTI_RUNTIME_TRACE_CBID_cudaEventQuery_v3020:
      case CUPTI_RUNTIME_TRACE_CBID_cudaStreamQuery_v3020:
      case CUPTI_RUNTIME_TRACE_CBID_cudaFree_v3020:
      case CUPTI_RUNTIME_TRACE_CBID_cudaFreeHost_v3020:
      case CUPTI_RUNTIME_TRACE_CBID_cudaHostUnregister_v4000:
        return true;
      default:
        return false;
    }
  switch (call.callback_id) {
    case CUPTI_DRIVER_TRACE_CBID_cuEventQuery:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamQuery:
    case CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2:
    case CUPTI_DRIVER_TRACE_CBID_cuMemFreeHost:
      return true;
    default:
      return false;
  }
}

void on_enter(CallInfo& call) {
  if (misbehaves()) maybe_shut_down();
  const unsigned wanted = call.watched;
  if (wanted & kRest) {
    t_waited = false;
    resources_enter(call);
  }
  if (wanted & kCallback) deliver_call(call, CUPTI_API_ENTER, nullptr);
  if (wanted & kInnerCall) nested_enter(call);
  if (wanted & (kCallRecord | kRest)) call_record_enter(call);
}

void on_exit(CallInfo& call, const int* result) {
  const unsigned wanted = call.watched;
  if (wanted & (kGraphSpan | kRest)) gpu_call_exit();
  std::uint64_t end = 0;
  if ((wanted & kRest) && has_client_clock()) {
    end = host_time();
    clock_exit(end, t_waited || may_wait(call, *result));  // first: what the call waited for ends before the call
  }
  if (wanted & kCallRecord) call_record_exit(call, *result, end);
  if (wanted & kRest) {
    other_records_exit(call, *result);
    resources_exit(call, *result);
  }
  if (wanted & kInnerCall) nested_exit(call, result);
  if (wanted & kCallback) deliver_call(call, CUPTI_API_EXIT, result);
}

void on_work(const Work& work) {
  if (work.end_ns <= simulator().clock.now()) t_waited = true;
  gpu_work(work);
}

void on_sync(const SyncInfo& sync) {
  if (sync.kind != SyncKind::stream_wait_event) t_waited = true;
  sync_record(sync);
}

// A forked child cannot use the device, and has neither the parent's worker nor its buffers: no activity there.
void in_forked_child() {
  disable_all_kinds();
  forget_buffers();
  forget_client_clock();
  forget_ids();
  install_hooks();
}

__attribute__((constructor)) void prepare_for_fork() { pthread_atfork(nullptr, nullptr, in_forked_child); }

}  // namespace

const Hooks kHooks = {on_enter, on_exit, on_work, on_sync, overhead_record};

std::uint32_t context_of(int device) { return static_cast<std::uint32_t>(device) + 1; }
CUcontext context_handle(std::uint32_t id) {
  const int device = static_cast<int>(id) - 1;
  return device >= 0 && device < device_count() ? reinterpret_cast<CUcontext>(primary_context(device)) : nullptr;
}
std::uint32_t context_id(CUcontext handle) {
  const Context* context = context_from(handle);
  return context ? context->id : 0;
}
std::uint32_t stream_id(const void* handle) {
  Simulator& s = simulator();
  std::lock_guard guard(s.lock);
  const Stream* stream = s.timeline.stream(handle);
  return stream ? stream->id : 0;
}

void set_client_cuda_major(int cuda_major) { g_client_major = cuda_major; }
int client_cuda_major() { return g_client_major.load(std::memory_order_relaxed); }

}  // namespace zerostall::simgpu::cupti

using namespace zerostall::simgpu::cupti;

extern "C" {

// For the library that answers to the name libcupti.so.12 (cupti12/).
__attribute__((visibility("default"))) void zerostall_sim_cupti_set_client_major(int cuda_major) {
  set_client_cuda_major(cuda_major);
}

CUptiResult cuptiGetVersion(uint32_t* version) {
  if (!version) return CUPTI_ERROR_INVALID_PARAMETER;
  constexpr std::uint32_t kOfCuda12_4 = 22;
  *version = misbehaviour().old ? kOfCuda12_4 : CUPTI_API_VERSION;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetTimestamp(uint64_t* time) {
  if (!time) return CUPTI_ERROR_INVALID_PARAMETER;
  *time = host_time();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetDeviceId(CUcontext handle, uint32_t* id) {
  if (!id) return CUPTI_ERROR_INVALID_PARAMETER;
  const auto* context = zerostall::simgpu::context_from(handle);
  if (handle && !context) return CUPTI_ERROR_INVALID_CONTEXT;
  *id = static_cast<std::uint32_t>(context ? context->device : zerostall::simgpu::current_device());
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetContextId(CUcontext context, uint32_t* id) {
  if (!id) return CUPTI_ERROR_INVALID_PARAMETER;
  const std::uint32_t found = context_id(context);
  if (!found) return CUPTI_ERROR_INVALID_CONTEXT;
  *id = found;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetStreamIdEx(CUcontext, CUstream stream, uint8_t per_thread, uint32_t* id) {
  if (!id) return CUPTI_ERROR_INVALID_PARAMETER;
  const void* handle = per_thread && !stream ? reinterpret_cast<const void*>(CU_STREAM_PER_THREAD) : stream;
  const std::uint32_t found = stream_id(handle);
  if (!found) return CUPTI_ERROR_INVALID_STREAM;
  *id = found;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetStreamId(CUcontext context, CUstream stream, uint32_t* id) {
  return cuptiGetStreamIdEx(context, stream, 0, id);
}
CUptiResult cuptiDeviceSupported(CUdevice device, int* supported) {
  if (!supported) return CUPTI_ERROR_INVALID_PARAMETER;
  if (device < 0 || device >= zerostall::simgpu::device_count()) return CUPTI_ERROR_INVALID_DEVICE;
  *supported = 1;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiComputeCapabilitySupported(int major, int, int* supported) {
  if (!supported) return CUPTI_ERROR_INVALID_PARAMETER;
  *supported = major >= 7;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiDeviceVirtualizationMode(CUdevice device, CUpti_DeviceVirtualizationMode* mode) {
  if (!mode) return CUPTI_ERROR_INVALID_PARAMETER;
  if (device < 0 || device >= zerostall::simgpu::device_count()) return CUPTI_ERROR_INVALID_DEVICE;
  *mode = CUPTI_DEVICE_VIRTUALIZATION_MODE_NONE;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetLastError(void) { return CUPTI_SUCCESS; }

// Detaches: afterwards the library is as if never used. Records not flushed are lost. May be called inside a callback.
CUptiResult cuptiFinalize(void) {
  disable_all_kinds();
  forget_subscriber();
  detach_client_clock();
  detach_buffers();
  update_hooks();
  return CUPTI_SUCCESS;
}

}  // extern "C"
