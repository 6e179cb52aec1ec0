// Allocation. Device memory is address space of the model's size; host allocations are real.
#include <cstring>

#include "profiler/simgpu/core/hooks.h"
#include "profiler/simgpu/runtime/support.h"
#include "runtime_behaviours.h"

using namespace zerostall::simgpu;

namespace {

// cudaMalloc, cudaFree and their kin wait for the device before they change the address map.
void implicit_sync(std::int64_t cost_ns) {
  Simulator& s = simulator();
  std::lock_guard guard(s.lock);
  s.clock.wait_until(s.timeline.device_tail());
  s.clock.advance(cost_ns);
}

cudaError_t allocate_host(void** pointer, std::size_t bytes, MemoryKind kind) {
  if (!pointer) return cudaErrorInvalidValue;
  Simulator& s = simulator();
  s.clock.advance(s.model.host_allocate_ns);
  *pointer = bytes ? s.memory.allocate_host(bytes, kind) : nullptr;
  return *pointer || !bytes ? cudaSuccess : cudaErrorMemoryAllocation;
}

}  // namespace

extern "C" {

cudaError_t sim_cudaMalloc(void** pointer, size_t bytes) {
  if (!pointer) return cudaErrorInvalidValue;
  Simulator& s = simulator();
  s.clock.advance(s.model.allocate_ns);
  *pointer = bytes ? s.memory.allocate_device(bytes, static_cast<std::size_t>(s.model.memory_bytes)) : nullptr;
  return *pointer || !bytes ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t sim_cudaFree(void* pointer) {
  Simulator& s = simulator();
  if (!pointer) return cudaSuccess;
  implicit_sync(s.model.allocate_ns);
  const MemoryKind kind = s.memory.find(pointer).kind;
  const bool ours = kind == MemoryKind::device || kind == MemoryKind::managed;
  return ours && s.memory.release(pointer, kind) ? cudaSuccess : cudaErrorInvalidValue;
}
cudaError_t sim_cudaHostAlloc(void** pointer, size_t bytes, unsigned) {
  return allocate_host(pointer, bytes, MemoryKind::pinned);
}
cudaError_t sim_cudaMallocHost(void** pointer, size_t bytes) {
  return allocate_host(pointer, bytes, MemoryKind::pinned);
}
cudaError_t sim_cudaMallocManaged(void** pointer, size_t bytes, unsigned) {
  return allocate_host(pointer, bytes, MemoryKind::managed);
}
cudaError_t sim_cudaFreeHost(void* pointer) {
  Simulator& s = simulator();
  if (!pointer) return cudaSuccess;
  implicit_sync(s.model.host_allocate_ns);
  return s.memory.release(pointer, MemoryKind::pinned) ? cudaSuccess : cudaErrorInvalidValue;
}
cudaError_t sim_cudaHostRegister(void* pointer, size_t bytes, unsigned) {
  Simulator& s = simulator();
  if (!pointer || !bytes) return cudaErrorInvalidValue;
  s.clock.advance(s.model.host_allocate_ns);
  return s.memory.register_host(pointer, bytes) ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered;
}
cudaError_t sim_cudaHostUnregister(void* pointer) {
  Simulator& s = simulator();
  implicit_sync(s.model.host_allocate_ns);
  return s.memory.unregister_host(pointer) ? cudaSuccess : cudaErrorHostMemoryNotRegistered;
}
cudaError_t sim_cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  if (!device || simulator().memory.find(host).base == 0) return cudaErrorInvalidValue;
  *device = host;
  return cudaSuccess;
}
cudaError_t sim_cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  const auto total = static_cast<std::size_t>(simulator().model.memory_bytes);
  if (total_bytes) *total_bytes = total;
  if (free_bytes) *free_bytes = total - simulator().memory.device_bytes();
  return cudaSuccess;
}
cudaError_t sim_cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  if (!attributes) return cudaErrorInvalidValue;
  std::memset(attributes, 0, sizeof *attributes);
  const MemoryMap::Block block = simulator().memory.find(pointer);
  attributes->device = block.base ? 0 : -2;
  void* address = const_cast<void*>(pointer);
  if (!block.base) {
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->hostPointer = address;
    return cudaSuccess;
  }
  attributes->type = block.kind == MemoryKind::device    ? cudaMemoryTypeDevice
                     : block.kind == MemoryKind::managed ? cudaMemoryTypeManaged
                                                         : cudaMemoryTypeHost;
  attributes->devicePointer = address;
  attributes->hostPointer = block.kind == MemoryKind::device ? nullptr : address;
  return cudaSuccess;
}

}  // extern "C"
