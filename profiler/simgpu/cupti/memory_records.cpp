// MEMORY2 and MEMORY_POOL records: allocations, releases and pools, from the API calls themselves.

#include <mutex>
#include <unordered_map>

#include "profiler/simgpu/cupti/client_clock.h"
#include "profiler/simgpu/cupti/records.h"

namespace zerostall::simgpu::cupti {
namespace {

constexpr auto kAllocation = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
constexpr auto kRelease = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE;

// A release names only the address: size and kind are remembered from the allocation, while somebody listens.
struct Known {
  std::uint64_t bytes = 0;
  CUpti_ActivityMemoryKind kind = CUPTI_ACTIVITY_MEMORY_KIND_UNKNOWN;
};
struct Allocations {
  std::mutex lock;
  std::unordered_map<std::uint64_t, Known> by_address;
};
Allocations& allocations() {
  static Allocations* instance = new Allocations;
  return *instance;
}

struct Operation {
  CUpti_ActivityMemoryOperationType type = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_INVALID;
  CUpti_ActivityMemoryKind kind = CUPTI_ACTIVITY_MEMORY_KIND_UNKNOWN;
  std::uint64_t address = 0, bytes = 0;
  bool async = false;
  const void* stream = nullptr;
};

template <class Params>
const Params& as(const CallInfo& call) {
  return *static_cast<const Params*>(call.params);
}
std::uint64_t number(const void* p) { return reinterpret_cast<std::uint64_t>(p); }

Operation runtime_operation(const CallInfo& c) {
  switch (c.callback_id) {
    case CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020: {
      const auto& p = as<cudaMalloc_v3020_params>(c);
      return {kAllocation, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, number(*p.devPtr), p.size};
    }
    case CUPTI_RUNTIME_TRACE_CBID_cudaHostAlloc_v3020: {
      const auto& p = as<cudaHostAlloc_v3020_params>(c);
      return {kAllocation, CUPTI_ACTIVITY_MEMORY_KIND_PINNED, number(*p.pHost), p.size};
    }
    case CUPTI_RUNTIME_TRACE_CBID_cudaMallocHost_v3020: {
      const auto& p = as<cudaMallocHost_v3020_params>(c);
      return {kAllocation, CUPTI_ACTIVITY_MEMORY_KIND_PINNED, number(*p.ptr), p.size};
    }
    case CUPTI_RUNTIME_TRACE_CBID_cudaMallocManaged_v6000: {
      const auto& p = as<cudaMallocManaged_v6000_params>(c);
      return {kAllocation, CUPTI_ACTIVITY_MEMORY_KIND_MANAGED, number(*p.devPtr), p.size};
    }
    case CUPTI_RUNTIME_TRACE_CBID_cudaMallocAsync_v11020: {
      const auto& p = as<cudaMallocAsync_v11020_params>(c);
      return {kAllocation, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, number(*p.devPtr), p.size, true, p.hStream};
    }
    case CUPTI_RUNTIME_TRACE_CBID_cudaFree_v3020:
      return {kRelease, {}, number(as<cudaFree_v3020_params>(c).devPtr)};
    case CUPTI_RUNTIME_TRACE_CBID_cudaFreeHost_v3020:
      return {kRelease, {}, number(as<cudaFreeHost_v3020_params>(c).ptr)};
    case CUPTI_RUNTIME_TRACE_CBID_cudaFreeAsync_v11020: {
      const auto& p = as<cudaFreeAsync_v11020_params>(c);
      return {kRelease, {}, number(p.devPtr), 0, true, p.hStream};
    }
    default:
      return {};
  }
}

Operation driver_operation(const CallInfo& c) {
  switch (c.callback_id) {
    case CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2: {
      const auto& p = as<cuMemAlloc_v2_params>(c);
      return {kAllocation, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, *p.dptr, p.bytesize};
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync: {
      const auto& p = as<cuMemAllocAsync_params>(c);
      return {kAllocation, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, *p.dptr, p.bytesize, true, p.hStream};
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2:
      return {kRelease, {}, as<cuMemFree_v2_params>(c).dptr};
    default:
      return {};
  }
}

// Fills a release from the allocation it ends.
void remember(Operation& op) {
  Allocations& a = allocations();
  std::lock_guard guard(a.lock);
  if (op.type == kAllocation) {
    a.by_address[op.address] = {op.bytes, op.kind};
    return;
  }
  const auto it = a.by_address.find(op.address);
  if (it == a.by_address.end()) return;
  op.bytes = it->second.bytes;
  op.kind = it->second.kind;
  a.by_address.erase(it);
}

std::uint64_t now() { return has_client_clock() ? host_time() : static_cast<std::uint64_t>(simulator().clock.now()); }

void write_memory(const CallInfo& call, Operation op) {
  if (!op.address) return;
  remember(op);
  CUpti_ActivityMemory4 m{};
  m.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
  m.memoryOperationType = op.type;
  m.memoryKind = op.kind;
  m.correlationId = call.correlation;
  m.address = op.address;
  m.bytes = op.bytes;
  m.timestamp = now();
  m.processId = process_id();
  m.deviceId = static_cast<std::uint32_t>(current_device());
  m.contextId = context_of(current_device());
  m.streamId = op.async ? stream_id(op.stream) : CUPTI_INVALID_STREAM_ID;
  m.isAsync = op.async;
  write(m);
}

void write_pool(const CallInfo& call) {
  if (call.domain != CUPTI_CB_DOMAIN_RUNTIME_API) return;
  CUpti_ActivityMemoryPool3 r{};
  switch (call.callback_id) {
    case CUPTI_RUNTIME_TRACE_CBID_cudaMemPoolCreate_v11020:
      r.memoryPoolOperationType = CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_CREATED;
      r.address = number(*as<cudaMemPoolCreate_v11020_params>(call).memPool);
      break;
    case CUPTI_RUNTIME_TRACE_CBID_cudaMemPoolDestroy_v11020:
      r.memoryPoolOperationType = CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_DESTROYED;
      r.address = number(as<cudaMemPoolDestroy_v11020_params>(call).memPool);
      break;
    case CUPTI_RUNTIME_TRACE_CBID_cudaMemPoolTrimTo_v11020:
      r.memoryPoolOperationType = CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_TRIMMED;
      r.address = number(as<cudaMemPoolTrimTo_v11020_params>(call).memPool);
      r.minBytesToKeep = as<cudaMemPoolTrimTo_v11020_params>(call).minBytesToKeep;
      break;
    default:
      return;
  }
  r.kind = CUPTI_ACTIVITY_KIND_MEMORY_POOL;
  r.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL;
  r.correlationId = call.correlation;
  r.processId = process_id();
  r.deviceId = static_cast<std::uint32_t>(current_device());
  r.timestamp = now();
  write(r);
}

}  // namespace

void memory_records_exit(const CallInfo& call) {
  if (!call.params) return;
  if (on(CUPTI_ACTIVITY_KIND_MEMORY_POOL)) write_pool(call);
  if (!on(CUPTI_ACTIVITY_KIND_MEMORY2)) return;
  const Operation op = call.domain == CUPTI_CB_DOMAIN_RUNTIME_API ? runtime_operation(call) : driver_operation(call);
  if (op.type != CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_INVALID) write_memory(call, op);
}

}  // namespace zerostall::simgpu::cupti
