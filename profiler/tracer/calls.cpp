#include "profiler/tracer/calls.h"

#include <array>
#include <vector>

#include "profiler/trace/api_table.h"
#include "profiler/tracer/collector.h"
#include "profiler/tracer/cupti_api.h"
#include "profiler/tracer/subscription.h"

namespace zerostall::tracer {
namespace {

using format::CallRecord;

constexpr std::uint8_t kUnknownDirection = 254;

// What is known of an id, by domain; filled before the first callback is enabled, read-only after.
struct Trait {
  bool copy = false;
  bool counted = false;  // not of kind `other`
};
std::array<std::vector<Trait>, 3> g_traits;

std::uint64_t handle(const void* p) { return reinterpret_cast<std::uint64_t>(p); }

template <class Params>
const Params& as(const CUpti_CallbackData& data) {
  return *static_cast<const Params*>(data.functionParams);
}

// Fills what the parameters tell: stream, event, size, direction. Functions not listed are recorded by name and time
// alone.
void read_runtime(CUpti_CallbackId id, const CUpti_CallbackData& d, CallRecord& r) {
  switch (id) {
    case CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020:
      r.stream = handle(as<cudaStreamSynchronize_v3020_params>(d).stream);
      break;
    case CUPTI_RUNTIME_TRACE_CBID_cudaStreamQuery_v3020:
      r.stream = handle(as<cudaStreamQuery_v3020_params>(d).stream);
      break;
    case CUPTI_RUNTIME_TRACE_CBID_cudaEventSynchronize_v3020:
      r.handle = handle(as<cudaEventSynchronize_v3020_params>(d).event);
      break;
    case CUPTI_RUNTIME_TRACE_CBID_cudaEventQuery_v3020:
      r.handle = handle(as<cudaEventQuery_v3020_params>(d).event);
      break;
    case CUPTI_RUNTIME_TRACE_CBID_cudaEventRecord_v3020: {
      const auto& p = as<cudaEventRecord_v3020_params>(d);
      r.stream = handle(p.stream);
      r.handle = handle(p.event);
      break;
    }
    case CUPTI_RUNTIME_TRACE_CBID_cudaEventRecordWithFlags_v11010: {
      const auto& p = as<cudaEventRecordWithFlags_v11010_params>(d);
      r.stream = handle(p.stream);
      r.handle = handle(p.event);
      break;
    }
    case CUPTI_RUNTIME_TRACE_CBID_cudaStreamWaitEvent_v3020: {
      const auto& p = as<cudaStreamWaitEvent_v3020_params>(d);
      r.stream = handle(p.stream);
      r.handle = handle(p.event);
      break;
    }
    case CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020: {
      const auto& p = as<cudaMemcpy_v3020_params>(d);
      r.bytes = p.count;
      r.copy_kind = static_cast<std::uint8_t>(p.kind);
      break;
    }
    case CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020: {
      const auto& p = as<cudaMemcpyAsync_v3020_params>(d);
      r.bytes = p.count;
      r.stream = handle(p.stream);
      r.copy_kind = static_cast<std::uint8_t>(p.kind);
      break;
    }
    case CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020: {
      const auto& p = as<cudaMemsetAsync_v3020_params>(d);
      r.bytes = p.count;
      r.stream = handle(p.stream);
      break;
    }
    case CUPTI_RUNTIME_TRACE_CBID_cudaMemset_v3020:
      r.bytes = as<cudaMemset_v3020_params>(d).count;
      break;
    case CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020:
      r.bytes = as<cudaMalloc_v3020_params>(d).size;
      break;
    case CUPTI_RUNTIME_TRACE_CBID_cudaHostAlloc_v3020:
      r.bytes = as<cudaHostAlloc_v3020_params>(d).size;
      break;
    case CUPTI_RUNTIME_TRACE_CBID_cudaMallocHost_v3020:
      r.bytes = as<cudaMallocHost_v3020_params>(d).size;
      break;
    case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000:
      r.stream = handle(as<cudaLaunchKernel_v7000_params>(d).stream);
      break;
    case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060:
      if (const auto* config = as<cudaLaunchKernelExC_v11060_params>(d).config) r.stream = handle(config->stream);
      break;
    default:
      break;
  }
}

template <class Params>
void read_driver_copy(const CUpti_CallbackData& d, std::uint8_t kind, CallRecord& r) {
  const auto& p = as<Params>(d);
  r.bytes = p.ByteCount;
  r.copy_kind = kind;
  if constexpr (requires { p.hStream; }) r.stream = handle(p.hStream);
}

void read_driver(CUpti_CallbackId id, const CUpti_CallbackData& d, CallRecord& r) {
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize:
      r.stream = handle(as<cuStreamSynchronize_params>(d).hStream);
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuStreamQuery:
      r.stream = handle(as<cuStreamQuery_params>(d).hStream);
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuEventSynchronize:
      r.handle = handle(as<cuEventSynchronize_params>(d).hEvent);
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuEventQuery:
      r.handle = handle(as<cuEventQuery_params>(d).hEvent);
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuEventRecord: {
      const auto& p = as<cuEventRecord_params>(d);
      r.stream = handle(p.hStream);
      r.handle = handle(p.hEvent);
      break;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2:
      read_driver_copy<cuMemcpyHtoD_v2_params>(d, 1, r);
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2:
      read_driver_copy<cuMemcpyDtoH_v2_params>(d, 2, r);
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2:
      read_driver_copy<cuMemcpyHtoDAsync_v2_params>(d, 1, r);
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2:
      read_driver_copy<cuMemcpyDtoHAsync_v2_params>(d, 2, r);
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
      r.stream = handle(as<cuLaunchKernel_params>(d).hStream);
      break;
    default:
      break;
  }
}

void on_exit(CUpti_CallbackDomain domain, CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (!data.correlationData || *data.correlationData == 0)
    return;  // not recorded, or begun before the tracer was there
  const Trait trait = g_traits[domain][id];
  ThreadLog& thread = collector().thread_log();
  if (thread.depth > 0) --thread.depth;
  if (trait.counted && thread.counted > 0) --thread.counted;
  CallRecord r;
  r.begin_ns = static_cast<std::int64_t>(*data.correlationData);
  r.correlation = data.correlationId;
  r.context = data.contextUid;
  r.callback_id = id;
  r.domain = static_cast<std::uint8_t>(domain);
  r.depth = thread.depth;
  if (trait.copy) r.copy_kind = kUnknownDirection;
  if (data.functionReturnValue) r.result = *static_cast<const int*>(data.functionReturnValue);
  if (data.functionParams) {
    if (domain == CUPTI_CB_DOMAIN_RUNTIME_API)
      read_runtime(id, data, r);
    else
      read_driver(id, data, r);
  }
  r.end_ns = timestamp_ns();
  collector().add(thread, r);
}

void CUPTIAPI on_call(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* raw) {
  if (domain == CUPTI_CB_DOMAIN_STATE) return on_cupti_state(id, raw);
  if (domain != CUPTI_CB_DOMAIN_RUNTIME_API && domain != CUPTI_CB_DOMAIN_DRIVER_API) return;
  const auto& data = *static_cast<const CUpti_CallbackData*>(raw);
  if (data.callbackSite == CUPTI_API_EXIT) return on_exit(domain, id, data);
  if (!data.correlationData) return;
  // The driver calls that a runtime call makes are part of it: not recorded when it is counted itself, which keeps
  // them from being counted twice and costs nothing.
  *data.correlationData = 0;
  ThreadLog& thread = collector().thread_log();
  if (thread.counted > 0) return;
  ++thread.depth;
  if (g_traits[domain][id].counted) ++thread.counted;
  *data.correlationData = static_cast<std::uint64_t>(timestamp_ns());
}

// Enables exactly the functions the analysis knows (api_table): a training step makes thousands of cheap calls
// (cudaGetDevice) that must not pay for tracing. Ids run without gaps up to a limit that differs between versions of
// CUPTI; past it names are no longer found.
void enable_domain(const CuptiApi& api, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
                   std::uint32_t limit) {
  std::vector<std::uint32_t> ids;
  std::vector<Trait>& traits = g_traits[domain];
  traits.assign(limit, {});
  for (std::uint32_t id = 1; id < limit; ++id) {
    const char* name = nullptr;
    if (api.get_callback_name(domain, id, &name) != CUPTI_SUCCESS || !name) continue;
    const ApiInfo info = find_api(name);
    if (info.name.empty()) continue;
    traits[id] = {info.kind == ApiKind::copy, info.kind != ApiKind::other};
    collector().define(format::DefinitionKind::api_name, format::api_id(static_cast<std::uint8_t>(domain), id), name);
    ids.push_back(id);
  }
  for (const std::uint32_t id : ids) api.enable_callback(1, subscriber, domain, id);
}

}  // namespace

bool start_calls(std::string* error) {
  const CuptiApi* api = cupti_api(error);
  if (!api) return false;
  CUpti_SubscriberHandle subscriber = nullptr;
  if (!subscribe(*api, on_call, &subscriber, error)) return false;
  enable_domain(*api, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_SIZE + 256);
  enable_domain(*api, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_SIZE + 256);
  return true;
}

}  // namespace zerostall::tracer
