// The runtime is a layer over the driver: on the real stack cudaLaunchKernel calls cuLaunchKernel, and whoever listens
// to the driver's callbacks sees both, the inner one with the outer one's correlation id. Activity records are written
// of the outer call only, as real traces show them. Here the runtime does not call the driver, so the inner callbacks
// are made up from the outer call's parameters, and only when somebody listens. Which call leads to which: the table
// below.

#include <cstring>
#include <vector>

#include "profiler/base/late_local.h"
#include "profiler/simgpu/cupti/state.h"

namespace zerostall::simgpu::cupti {
namespace {

struct Inner {
  std::uint32_t outer_correlation = 0;
  CallInfo call{};
  alignas(8) unsigned char params[96];
};
// Runtime calls within runtime calls are rare.
std::vector<Inner>& inner_calls() { return late_local<std::vector<Inner>>(); }

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

// Fills inner.params and returns the driver's id; 0: no driver call worth a callback.
std::uint32_t inner_call(const CallInfo& call, Inner& inner) {
  switch (call.callback_id) {
    case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000:
      return launch(call, inner);
    case 505:  // __cudaLaunchKernel: the headers describe no parameters
      return CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel;
    case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060:
      return CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx;
    case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_v9000:
      return CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel;
    case CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020:
      return copy(call, inner);
    case CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020:
      return copy_async(call, inner);
    case CUPTI_RUNTIME_TRACE_CBID_cudaMemset_v3020:
      return set(call, inner);
    case CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020:
      return set_async(call, inner);
    case CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020:
      return put(inner, cuStreamSynchronize_params{as<cudaStreamSynchronize_v3020_params>(call).stream},
                 CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize);
    case CUPTI_RUNTIME_TRACE_CBID_cudaEventSynchronize_v3020:
      return put(inner, cuEventSynchronize_params{as<cudaEventSynchronize_v3020_params>(call).event},
                 CUPTI_DRIVER_TRACE_CBID_cuEventSynchronize);
    case CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020:
      return CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize;
    case CUPTI_RUNTIME_TRACE_CBID_cudaEventQuery_v3020:
      return put(inner, cuEventQuery_params{as<cudaEventQuery_v3020_params>(call).event},
                 CUPTI_DRIVER_TRACE_CBID_cuEventQuery);
    case CUPTI_RUNTIME_TRACE_CBID_cudaStreamQuery_v3020:
      return put(inner, cuStreamQuery_params{as<cudaStreamQuery_v3020_params>(call).stream},
                 CUPTI_DRIVER_TRACE_CBID_cuStreamQuery);
    case CUPTI_RUNTIME_TRACE_CBID_cudaEventRecord_v3020: {
      const auto& p = as<cudaEventRecord_v3020_params>(call);
      return put(inner, cuEventRecord_params{p.event, p.stream}, CUPTI_DRIVER_TRACE_CBID_cuEventRecord);
    }
    case CUPTI_RUNTIME_TRACE_CBID_cudaStreamWaitEvent_v3020: {
      const auto& p = as<cudaStreamWaitEvent_v3020_params>(call);
      return put(inner, cuStreamWaitEvent_params{p.stream, p.event, p.flags},
                 CUPTI_DRIVER_TRACE_CBID_cuStreamWaitEvent);
    }
    case CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020: {
      const auto& p = as<cudaMalloc_v3020_params>(call);
      return put(inner, cuMemAlloc_v2_params{reinterpret_cast<CUdeviceptr*>(p.devPtr), p.size},
                 CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2);
    }
    case CUPTI_RUNTIME_TRACE_CBID_cudaFree_v3020:
      return put(inner, cuMemFree_v2_params{device_address(as<cudaFree_v3020_params>(call).devPtr)},
                 CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2);
    case CUPTI_RUNTIME_TRACE_CBID_cudaHostAlloc_v3020: {
      const auto& p = as<cudaHostAlloc_v3020_params>(call);
      return put(inner, cuMemHostAlloc_params{p.pHost, p.size, p.flags}, CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc);
    }
    case CUPTI_RUNTIME_TRACE_CBID_cudaFreeHost_v3020:
      return put(inner, cuMemFreeHost_params{as<cudaFreeHost_v3020_params>(call).ptr},
                 CUPTI_DRIVER_TRACE_CBID_cuMemFreeHost);
    case CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000: {
      const auto& p = as<cudaGraphLaunch_v10000_params>(call);
      return put(inner, cuGraphLaunch_params{p.graphExec, p.stream}, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch);
    }
    default:
      return 0;
  }
}

}  // namespace

void nested_enter(const CallInfo& call) {
  if (call.domain != CUPTI_CB_DOMAIN_RUNTIME_API || !domain_wanted(CUPTI_CB_DOMAIN_DRIVER_API)) return;
  Inner inner;
  const std::uint32_t id = inner_call(call, inner);
  if (!id || !callback_wanted(CUPTI_CB_DOMAIN_DRIVER_API, id)) return;
  const void* params = inner.call.params;
  inner.outer_correlation = call.correlation;
  inner.call = {CUPTI_CB_DOMAIN_DRIVER_API,
                id,
                callback_name(CUPTI_CB_DOMAIN_DRIVER_API, id),
                params,
                call.symbol,
                call.correlation};
  inner_calls().push_back(inner);
  Inner& kept = inner_calls().back();
  if (params) kept.call.params = kept.params;
  deliver_call(kept.call, CUPTI_API_ENTER, nullptr);
}

void nested_exit(const CallInfo& call, const int* result) {
  if (inner_calls().empty() || inner_calls().back().outer_correlation != call.correlation) return;
  Inner inner = inner_calls().back();
  inner_calls().pop_back();
  if (inner.call.params) inner.call.params = inner.params;
  deliver_call(inner.call, CUPTI_API_EXIT, result);
}

}  // namespace zerostall::simgpu::cupti
