// Allocation, pinning, what an address is, managed memory.
#include <cstring>

#include "profiler/simgpu/core/allocate.h"
#include "profiler/simgpu/core/managed.h"
#include "profiler/simgpu/core/simulator.h"
#include "profiler/simgpu/runtime/support.h"
#include "runtime_behaviours.h"

using namespace zerostall::simgpu;

namespace {

Location location(const cudaMemLocation& l) { return {static_cast<int>(l.type), l.id}; }

}  // namespace

extern "C" {

cudaError_t sim_cudaMalloc(void** pointer, size_t bytes) { return allocate_device(pointer, bytes); }
cudaError_t sim_cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t rows) {
  return allocate_pitched(pointer, pitch, width, rows);
}
cudaError_t sim_cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
  if (!pitched) return cudaErrorInvalidValue;
  *pitched = {nullptr, 0, extent.width, extent.height};
  return allocate_pitched(&pitched->ptr, &pitched->pitch, extent.width, extent.height * extent.depth);
}
cudaError_t sim_cudaFree(void* pointer) { return free_device(pointer); }
cudaError_t sim_cudaHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  return allocate_pinned(pointer, bytes, flags);
}
cudaError_t sim_cudaMallocHost(void** pointer, size_t bytes) { return allocate_pinned(pointer, bytes, 0); }
cudaError_t sim_cudaMallocManaged(void** pointer, size_t bytes, unsigned flags) {
  return allocate_managed(pointer, bytes, flags);
}
cudaError_t sim_cudaFreeHost(void* pointer) { return free_pinned(pointer); }
cudaError_t sim_cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
  return register_pinned(pointer, bytes, flags);
}
cudaError_t sim_cudaHostUnregister(void* pointer) { return unregister_pinned(pointer); }
cudaError_t sim_cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  if (!device || flags) return cudaErrorInvalidValue;
  const MemoryKind kind = simulator().memory.find(host).kind;
  if (kind != MemoryKind::pinned && kind != MemoryKind::managed) return cudaErrorInvalidValue;
  *device = host;
  return cudaSuccess;
}
cudaError_t sim_cudaHostGetFlags(unsigned* flags, void* host) {
  const MemoryMap::Block block = simulator().memory.find(host);
  if (!flags || block.kind != MemoryKind::pinned) return cudaErrorInvalidValue;
  *flags = block.flags;
  return cudaSuccess;
}
cudaError_t sim_cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) { return memory_info(free_bytes, total_bytes); }

cudaError_t sim_cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  if (!attributes) return cudaErrorInvalidValue;
  std::memset(attributes, 0, sizeof *attributes);
  const MemoryMap::Block block = simulator().memory.find(pointer);
  attributes->device = block.base ? block.device : cudaInvalidDeviceId;
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

cudaError_t sim_cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice, cudaMemLocation l) {
  return advise(pointer, bytes, advice, location(l));
}
cudaError_t sim_cudaMemPrefetchAsync(const void* pointer, size_t bytes, cudaMemLocation l, unsigned flags,
                                     cudaStream_t stream) {
  return flags ? cudaErrorInvalidValue : prefetch(pointer, bytes, location(l), stream);
}
cudaError_t sim_cudaMemPrefetchBatchAsync(void** pointers, size_t* bytes, size_t count, cudaMemLocation* locations,
                                          size_t* first_of_location, size_t location_count, unsigned long long flags,
                                          cudaStream_t stream) {
  if (!pointers || !bytes || !count || !locations || !first_of_location || !location_count || location_count > count ||
      first_of_location[0] != 0 || flags)
    return cudaErrorInvalidValue;
  size_t at = 0;
  for (size_t i = 0; i < count; ++i) {
    while (at + 1 < location_count && first_of_location[at + 1] <= i) ++at;
    if (const cudaError_t error = prefetch(pointers[i], bytes[i], location(locations[at]), stream)) return error;
  }
  return cudaSuccess;
}
cudaError_t sim_cudaMemRangeGetAttribute(void* data, size_t data_bytes, cudaMemRangeAttribute attribute,
                                         const void* pointer, size_t bytes) {
  return range_attribute(data, data_bytes, attribute, pointer, bytes);
}
cudaError_t sim_cudaMemRangeGetAttributes(void** data, size_t* data_bytes, cudaMemRangeAttribute* attributes,
                                          size_t count, const void* pointer, size_t bytes) {
  if (!data || !data_bytes || !attributes || !count) return cudaErrorInvalidValue;
  for (size_t i = 0; i < count; ++i)
    if (const cudaError_t error = range_attribute(data[i], data_bytes[i], attributes[i], pointer, bytes)) return error;
  return cudaSuccess;
}

}  // extern "C"
