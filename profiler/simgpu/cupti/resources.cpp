// RESOURCE and SYNCHRONIZE callbacks, and the records of devices, contexts and streams. The simulator announces none of
// them itself: they follow from the API calls that make and destroy them.

#include <cstring>

#include "profiler/simgpu/cupti/records.h"

namespace zerostall::simgpu::cupti {
namespace {

constexpr int kResource = CUPTI_CB_DOMAIN_RESOURCE;
std::atomic<std::uint64_t> g_contexts_seen{0};  // one bit a device: its primary context has been announced
std::atomic<bool> g_init_seen{false}, g_context_ended{false};
std::atomic<std::uint32_t> g_next_module{1};

template <class Params>
const Params& as(const CallInfo& call) {
  return *static_cast<const Params*>(call.params);
}

void announce(std::uint32_t id, CUstream stream = nullptr, void* descriptor = nullptr) {
  if (!callback_wanted(kResource, id)) return;
  CUpti_ResourceData data{};
  data.context = context_handle(context_of(current_device()));
  data.resourceHandle.stream = stream;
  data.resourceDescriptor = descriptor;
  call_subscriber(kResource, id, &data);
}

void write_context(int device) {
  CUpti_ActivityContext3 c{};
  c.kind = CUPTI_ACTIVITY_KIND_CONTEXT;
  c.contextId = context_of(device);
  c.deviceId = static_cast<std::uint32_t>(device);
  c.computeApiKind = CUPTI_ACTIVITY_COMPUTE_API_CUDA;
  c.nullStreamId = static_cast<std::uint16_t>(stream_id(nullptr));
  c.parentContextId = 0xffffffffu;
  c.numMultiprocessors = static_cast<std::uint16_t>(simulator().model.sm_count);
  write(c);
}

void write_device(int device) {
  const DeviceModel& m = simulator().model;
  CUpti_ActivityDevice5 d{};
  d.kind = CUPTI_ACTIVITY_KIND_DEVICE;
  d.flags = CUPTI_ACTIVITY_FLAG_DEVICE_CONCURRENT_KERNELS;
  d.globalMemoryBandwidth = static_cast<std::uint64_t>(m.device_bytes_per_us * 1000);  // kBytes/s
  d.globalMemorySize = static_cast<std::uint64_t>(m.memory_bytes);
  d.constantMemorySize = 65536;
  d.l2CacheSize = static_cast<std::uint32_t>(m.l2_bytes);
  d.numThreadsPerWarp = 32;
  d.coreClockRate = static_cast<std::uint32_t>(m.clock_khz);
  d.numMemcpyEngines = 2;
  d.numMultiprocessors = static_cast<std::uint32_t>(m.sm_count);
  d.maxWarpsPerMultiprocessor = 64;
  d.maxBlocksPerMultiprocessor = static_cast<std::uint32_t>(m.blocks_per_sm);
  d.maxSharedMemoryPerMultiprocessor = static_cast<std::uint32_t>(m.shared_per_sm_bytes);
  d.maxRegistersPerMultiprocessor = d.maxRegistersPerBlock = 65536;
  d.maxSharedMemoryPerBlock = 49152;
  d.maxThreadsPerBlock = d.maxBlockDimX = d.maxBlockDimY = 1024;
  d.maxBlockDimZ = 64;
  d.maxGridDimX = 0x7fffffff;
  d.maxGridDimY = d.maxGridDimZ = 65535;
  d.computeCapabilityMajor = static_cast<std::uint32_t>(m.compute_major);
  d.computeCapabilityMinor = static_cast<std::uint32_t>(m.compute_minor);
  d.id = static_cast<std::uint32_t>(device);
  d.name = m.name.c_str();
  d.isCudaVisible = 1;
  write(d);
}

void write_stream(CUstream stream, std::uint32_t correlation) {
  std::uint32_t priority = 0;
  CUpti_ActivityStreamFlag flag = CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT;
  {
    Simulator& s = simulator();
    std::lock_guard guard(s.lock);
    const Stream* found = s.timeline.stream(stream);
    if (!found) return;
    priority = static_cast<std::uint32_t>(found->priority);
    if (found->non_blocking) flag = CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING;
  }
  CUpti_ActivityStream r{};
  r.kind = CUPTI_ACTIVITY_KIND_STREAM;
  r.contextId = context_of(current_device());
  r.streamId = stream_id(stream);
  r.priority = priority;
  r.flag = flag;
  r.correlationId = correlation;
  write(r);
}

bool listening() {
  return domain_wanted(kResource) || on(CUPTI_ACTIVITY_KIND_CONTEXT) || on(CUPTI_ACTIVITY_KIND_STREAM) ||
         on(CUPTI_ACTIVITY_KIND_DEVICE);
}

// The stream a call has created, or null.
CUstream created_stream(const CallInfo& call) {
  if (call.domain == CUPTI_CB_DOMAIN_RUNTIME_API) switch (call.callback_id) {
      case CUPTI_RUNTIME_TRACE_CBID_cudaStreamCreate_v3020:
        return *as<cudaStreamCreate_v3020_params>(call).pStream;
      case CUPTI_RUNTIME_TRACE_CBID_cudaStreamCreateWithFlags_v5000:
        return *as<cudaStreamCreateWithFlags_v5000_params>(call).pStream;
      case CUPTI_RUNTIME_TRACE_CBID_cudaStreamCreateWithPriority_v5050:
        return *as<cudaStreamCreateWithPriority_v5050_params>(call).pStream;
      default:
        return nullptr;
    }
  switch (call.callback_id) {
    case CUPTI_DRIVER_TRACE_CBID_cuStreamCreate:
      return *as<cuStreamCreate_params>(call).phStream;
    case CUPTI_DRIVER_TRACE_CBID_cuStreamCreateWithPriority:
      return *as<cuStreamCreateWithPriority_params>(call).phStream;
    default:
      return nullptr;
  }
}

CUstream destroyed_stream(const CallInfo& call) {
  if (call.domain == CUPTI_CB_DOMAIN_RUNTIME_API)
    return call.callback_id == CUPTI_RUNTIME_TRACE_CBID_cudaStreamDestroy_v5050
               ? as<cudaStreamDestroy_v5050_params>(call).stream
               : nullptr;
  return call.callback_id == CUPTI_DRIVER_TRACE_CBID_cuStreamDestroy_v2 ? as<cuStreamDestroy_v2_params>(call).hStream
                                                                        : nullptr;
}

// Fires after the wait has ended; there is none for events.
void deliver_synchronize(const CallInfo& call) {
  CUpti_SynchronizeData data{};
  std::uint32_t id = 0;
  const bool runtime = call.domain == CUPTI_CB_DOMAIN_RUNTIME_API;
  if (runtime && call.callback_id == CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020) {
    id = CUPTI_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED;
    data.stream = as<cudaStreamSynchronize_v3020_params>(call).stream;
  } else if (!runtime && call.callback_id == CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize) {
    id = CUPTI_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED;
    data.stream = as<cuStreamSynchronize_params>(call).hStream;
  } else if ((runtime && call.callback_id == CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020) ||
             (!runtime && (call.callback_id == CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize ||
                           call.callback_id == CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize_v2))) {
    id = CUPTI_CBID_SYNCHRONIZE_CONTEXT_SYNCHRONIZED;
  }
  if (!id || !callback_wanted(CUPTI_CB_DOMAIN_SYNCHRONIZE, id)) return;
  data.context = context_handle(context_of(current_device()));
  call_subscriber(CUPTI_CB_DOMAIN_SYNCHRONIZE, id, &data);
}

bool loads_module(const CallInfo& call) {
  return call.domain == CUPTI_CB_DOMAIN_DRIVER_API && (call.callback_id == CUPTI_DRIVER_TRACE_CBID_cuModuleLoad ||
                                                       call.callback_id == CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData ||
                                                       call.callback_id == CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx);
}

bool changes_device(const CallInfo& call) {
  if (call.domain == CUPTI_CB_DOMAIN_RUNTIME_API)
    return call.callback_id == CUPTI_RUNTIME_TRACE_CBID_cudaSetDevice_v3020 ||
           call.callback_id == CUPTI_RUNTIME_TRACE_CBID_cudaInitDevice_v12000;
  return call.callback_id == CUPTI_DRIVER_TRACE_CBID_cuCtxSetCurrent ||
         call.callback_id == CUPTI_DRIVER_TRACE_CBID_cuCtxPushCurrent_v2 ||
         call.callback_id == CUPTI_DRIVER_TRACE_CBID_cuCtxPopCurrent_v2;
}

bool destroys_context(const CallInfo& call) {
  return call.domain == CUPTI_CB_DOMAIN_RUNTIME_API
             ? call.callback_id == CUPTI_RUNTIME_TRACE_CBID_cudaDeviceReset_v3020
             : call.callback_id == CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset_v2;
}

void announce_context() {
  const int device = current_device();
  const std::uint64_t bit = std::uint64_t{1} << device;
  const std::uint64_t before = g_contexts_seen.fetch_or(bit);
  if (before & bit) return;
  announce(CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
  if (on(CUPTI_ACTIVITY_KIND_CONTEXT)) write_context(device);
  if (before == 0) update_hooks();
}

bool announced() { return g_contexts_seen.load(std::memory_order_relaxed) >> current_device() & 1; }

}  // namespace

// Any call may be the first of a device. Once one has been announced, the others are met where the device is changed.
Interest resources_interest() {
  if (!listening()) return Interest::none;
  return g_contexts_seen == 0 || g_context_ended ? Interest::all_calls : Interest::some_calls;
}

void resources_enter(const CallInfo& call) {
  if (!listening()) return;
  if (!g_init_seen.exchange(true)) {
    announce(CUPTI_CBID_RESOURCE_CU_INIT_FINISHED);
    if (on(CUPTI_ACTIVITY_KIND_DEVICE)) dump_resources(CUPTI_ACTIVITY_KIND_DEVICE);
  }
  if (!announced()) announce_context();
  if (CUstream stream = destroyed_stream(call)) announce(CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING, stream);
  if (destroys_context(call)) {
    announce(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
    g_contexts_seen.fetch_and(~(std::uint64_t{1} << current_device()));
    g_context_ended = true;
    update_hooks();
  }
}

void resources_exit(const CallInfo& call, int result) {
  if (result != 0) return;
  if (domain_wanted(CUPTI_CB_DOMAIN_SYNCHRONIZE)) deliver_synchronize(call);
  if (!listening()) return;
  if (changes_device(call) && !announced()) announce_context();
  if (CUstream stream = created_stream(call)) {
    announce(CUPTI_CBID_RESOURCE_STREAM_CREATED, stream);
    if (on(CUPTI_ACTIVITY_KIND_STREAM)) write_stream(stream, call.correlation);
  }
  if (loads_module(call) && callback_wanted(kResource, CUPTI_CBID_RESOURCE_MODULE_LOADED)) {
    CUpti_ModuleResourceData module{};  // no cubin: kernels are names here
    module.moduleId = g_next_module.fetch_add(1);
    announce(CUPTI_CBID_RESOURCE_MODULE_LOADED, nullptr, &module);
  }
}

void dump_resources(CUpti_ActivityKind kind) {
  for (int device = 0; device < device_count(); ++device) {
    if (kind == CUPTI_ACTIVITY_KIND_DEVICE) write_device(device);
    if (kind == CUPTI_ACTIVITY_KIND_CONTEXT) write_context(device);
  }
  if (kind == CUPTI_ACTIVITY_KIND_STREAM) write_stream(nullptr, 0);
}

}  // namespace zerostall::simgpu::cupti
