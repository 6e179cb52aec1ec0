// The runtime is a layer over the driver: on the real stack cudaLaunchKernel calls cuLaunchKernel, and whoever listens
// to the driver's callbacks sees both, the inner one with the outer one's correlation id. Activity records are written
// of the outer call only, as real traces show them. Here the runtime does not call the driver, so the inner callbacks
// are made up from the outer call's parameters, and only when somebody listens. Which call leads to which: the table
// below.

#include <array>
#include <cstring>
#include <new>

#include "profiler/simgpu/cupti/state.h"

namespace zerostall::simgpu::cupti {
namespace {

// Lies in the outer call's scratch.
struct Inner {
  CallInfo call{};  // callback_id 0: there is none
  alignas(8) unsigned char params[96];
  Inner() {}  // leaves params as they are
};
static_assert(sizeof(Inner) <= kScratchBytes);

template <class Params>
const Params& as(const CallInfo& call) {
  return *static_cast<const Params*>(call.params);
}

template <class Params>
std::uint32_t put(Inner& inner, const Params& params, std::uint32_t id) {
  static_assert(sizeof(Params) <= sizeof(inner.params));
  std::memcpy(inner.params, &params, sizeof params);
  inner.call.params = inner.params;
  return id;
}

CUdeviceptr device_address(const void* p) { return reinterpret_cast<CUdeviceptr>(p); }

std::uint32_t launch(const CallInfo& call, Inner& inner) {
  const auto& p = as<cudaLaunchKernel_v7000_params>(call);
  return put(inner,
             cuLaunchKernel_params{static_cast<CUfunction>(const_cast<void*>(p.func)), p.gridDim.x, p.gridDim.y,
                                   p.gridDim.z, p.blockDim.x, p.blockDim.y, p.blockDim.z,
                                   static_cast<unsigned>(p.sharedMem), p.stream, p.args, nullptr},
             CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel);
}

std::uint32_t copy(const CallInfo& call, Inner& inner) {
  const auto& p = as<cudaMemcpy_v3020_params>(call);
  switch (p.kind) {
    case cudaMemcpyHostToDevice:
      return put(inner, cuMemcpyHtoD_v2_params{device_address(p.dst), p.src, p.count},
                 CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2);
    case cudaMemcpyDeviceToHost:
      return put(inner, cuMemcpyDtoH_v2_params{p.dst, device_address(p.src), p.count},
                 CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2);
    case cudaMemcpyDeviceToDevice:
      return put(inner, cuMemcpyDtoD_v2_params{device_address(p.dst), device_address(p.src), p.count},
                 CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoD_v2);
    default:
      return put(inner, cuMemcpy_params{device_address(p.dst), device_address(p.src), p.count},
                 CUPTI_DRIVER_TRACE_CBID_cuMemcpy);
  }
}

std::uint32_t copy_async(const CallInfo& call, Inner& inner) {
  const auto& p = as<cudaMemcpyAsync_v3020_params>(call);
  switch (p.kind) {
    case cudaMemcpyHostToDevice:
      return put(inner, cuMemcpyHtoDAsync_v2_params{device_address(p.dst), p.src, p.count, p.stream},
                 CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2);
    case cudaMemcpyDeviceToHost:
      return put(inner, cuMemcpyDtoHAsync_v2_params{p.dst, device_address(p.src), p.count, p.stream},
                 CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2);
    case cudaMemcpyDeviceToDevice:
      return put(inner, cuMemcpyDtoDAsync_v2_params{device_address(p.dst), device_address(p.src), p.count, p.stream},
                 CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoDAsync_v2);
    default:
      return put(inner, cuMemcpyAsync_params{device_address(p.dst), device_address(p.src), p.count, p.stream},
                 CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync);
  }
}

std::uint32_t set(const CallInfo& call, Inner& inner) {
  const auto& p = as<cudaMemset_v3020_params>(call);
  return put(inner, cuMemsetD8_v2_params{device_address(p.devPtr), static_cast<unsigned char>(p.value), p.count},
             CUPTI_DRIVER_TRACE_CBID_cuMemsetD8_v2);
}

std::uint32_t set_async(const CallInfo& call, Inner& inner) {
  const auto& p = as<cudaMemsetAsync_v3020_params>(call);
  return put(inner,
             cuMemsetD8Async_params{device_address(p.devPtr), static_cast<unsigned char>(p.value), p.count, p.stream},
             CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async);
}

// A driver call whose parameters nobody here knows, or that has none.
template <std::uint32_t Id>
std::uint32_t bare(const CallInfo&, Inner&) {
  return Id;
}

std::uint32_t event_record(const CallInfo& call, Inner& inner) {
  const auto& p = as<cudaEventRecord_v3020_params>(call);
  return put(inner, cuEventRecord_params{p.event, p.stream}, CUPTI_DRIVER_TRACE_CBID_cuEventRecord);
}

std::uint32_t stream_wait(const CallInfo& call, Inner& inner) {
  const auto& p = as<cudaStreamWaitEvent_v3020_params>(call);
  return put(inner, cuStreamWaitEvent_params{p.stream, p.event, p.flags}, CUPTI_DRIVER_TRACE_CBID_cuStreamWaitEvent);
}

std::uint32_t stream_sync(const CallInfo& call, Inner& inner) {
  return put(inner, cuStreamSynchronize_params{as<cudaStreamSynchronize_v3020_params>(call).stream},
             CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize);
}

std::uint32_t event_sync(const CallInfo& call, Inner& inner) {
  return put(inner, cuEventSynchronize_params{as<cudaEventSynchronize_v3020_params>(call).event},
             CUPTI_DRIVER_TRACE_CBID_cuEventSynchronize);
}

std::uint32_t event_query(const CallInfo& call, Inner& inner) {
  return put(inner, cuEventQuery_params{as<cudaEventQuery_v3020_params>(call).event},
             CUPTI_DRIVER_TRACE_CBID_cuEventQuery);
}

std::uint32_t stream_query(const CallInfo& call, Inner& inner) {
  return put(inner, cuStreamQuery_params{as<cudaStreamQuery_v3020_params>(call).stream},
             CUPTI_DRIVER_TRACE_CBID_cuStreamQuery);
}

std::uint32_t allocate(const CallInfo& call, Inner& inner) {
  const auto& p = as<cudaMalloc_v3020_params>(call);
  return put(inner, cuMemAlloc_v2_params{reinterpret_cast<CUdeviceptr*>(p.devPtr), p.size},
             CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2);
}

std::uint32_t release(const CallInfo& call, Inner& inner) {
  return put(inner, cuMemFree_v2_params{device_address(as<cudaFree_v3020_params>(call).devPtr)},
             CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2);
}

std::uint32_t allocate_host(const CallInfo& call, Inner& inner) {
  const auto& p = as<cudaHostAlloc_v3020_params>(call);
  return put(inner, cuMemHostAlloc_params{p.pHost, p.size, p.flags}, CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc);
}

std::uint32_t release_host(const CallInfo& call, Inner& inner) {
  return put(inner, cuMemFreeHost_params{as<cudaFreeHost_v3020_params>(call).ptr},
             CUPTI_DRIVER_TRACE_CBID_cuMemFreeHost);
}

std::uint32_t launch_graph(const CallInfo& call, Inner& inner) {
  const auto& p = as<cudaGraphLaunch_v10000_params>(call);
  return put(inner, cuGraphLaunch_params{p.graphExec, p.stream}, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch);
}

// Fills inner.params where there are any, and returns the driver's id.
using MakeInner = std::uint32_t (*)(const CallInfo&, Inner&);
constexpr std::size_t kRuntimeIds = 512;

// By the id of the runtime's call; null: no driver call worth a callback.
constexpr std::array<MakeInner, kRuntimeIds> kInner = [] {
  std::array<MakeInner, kRuntimeIds> made{};
  made[CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000] = launch;
  made[505] = bare<CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel>;  // __cudaLaunchKernel: the headers describe no parameters
  made[CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060] = bare<CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx>;
  made[CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_v9000] =
      bare<CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel>;
  made[CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020] = copy;
  made[CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020] = copy_async;
  made[CUPTI_RUNTIME_TRACE_CBID_cudaMemset_v3020] = set;
  made[CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020] = set_async;
  made[CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020] = stream_sync;
  made[CUPTI_RUNTIME_TRACE_CBID_cudaEventSynchronize_v3020] = event_sync;
  made[CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020] = bare<CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize>;
  made[CUPTI_RUNTIME_TRACE_CBID_cudaEventQuery_v3020] = event_query;
  made[CUPTI_RUNTIME_TRACE_CBID_cudaStreamQuery_v3020] = stream_query;
  made[CUPTI_RUNTIME_TRACE_CBID_cudaEventRecord_v3020] = event_record;
  made[CUPTI_RUNTIME_TRACE_CBID_cudaStreamWaitEvent_v3020] = stream_wait;
  made[CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020] = allocate;
  made[CUPTI_RUNTIME_TRACE_CBID_cudaFree_v3020] = release;
  made[CUPTI_RUNTIME_TRACE_CBID_cudaHostAlloc_v3020] = allocate_host;
  made[CUPTI_RUNTIME_TRACE_CBID_cudaFreeHost_v3020] = release_host;
  made[CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000] = launch_graph;
  return made;
}();

}  // namespace

bool makes_inner_call(std::uint32_t runtime_id) { return runtime_id < kRuntimeIds && kInner[runtime_id]; }

void nested_enter(const CallInfo& call) {
  Inner& inner = *new (call.scratch) Inner;
  const std::uint32_t id = kInner[call.callback_id](call, inner);
  if (!callback_wanted(CUPTI_CB_DOMAIN_DRIVER_API, id)) return;
  inner.call.domain = CUPTI_CB_DOMAIN_DRIVER_API;
  inner.call.callback_id = id;
  inner.call.name = callback_name(CUPTI_CB_DOMAIN_DRIVER_API, id);
  inner.call.symbol = call.symbol;
  inner.call.correlation = call.correlation;
  deliver_call(inner.call, CUPTI_API_ENTER, nullptr);
}

void nested_exit(const CallInfo& call, const int* result) {
  Inner& inner = *static_cast<Inner*>(call.scratch);
  if (inner.call.callback_id != 0) deliver_call(inner.call, CUPTI_API_EXIT, result);
}

}  // namespace zerostall::simgpu::cupti
