// Stream-ordered allocation and its pools.
#include "profiler/simgpu/core/pools.h"
#include "profiler/simgpu/core/simulator.h"
#include "profiler/simgpu/runtime/support.h"
#include "runtime_behaviours.h"

using namespace zerostall::simgpu;

namespace {

bool known_device(int device) { return device >= 0 && device < device_count(); }
cudaMemPool_t handle(Pool* pool) { return reinterpret_cast<cudaMemPool_t>(pool); }

// The pools of a place: devices only, and only of memory that stays where it is.
cudaError_t device_of_place(const cudaMemLocation* location, cudaMemAllocationType type, int* device) {
  if (!location || type != cudaMemAllocationTypePinned) return cudaErrorInvalidValue;
  if (location->type != cudaMemLocationTypeDevice) return cudaErrorNotSupported;
  if (!known_device(location->id)) return cudaErrorInvalidDevice;
  *device = location->id;
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t sim_cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
  if (!pointer) return cudaErrorInvalidValue;
  return allocate_async(pointer, bytes, current_pool(current_device()), stream);
}
cudaError_t sim_cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t pool_handle, cudaStream_t stream) {
  Pool* pool = pool_from(pool_handle);
  if (!pointer || !pool) return cudaErrorInvalidValue;
  return allocate_async(pointer, bytes, pool, stream);
}
cudaError_t sim_cudaFreeAsync(void* pointer, cudaStream_t stream) { return free_async(pointer, stream); }

cudaError_t sim_cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  if (!pool) return cudaErrorInvalidValue;
  if (!known_device(device)) return cudaErrorInvalidDevice;
  *pool = handle(default_pool(device));
  return cudaSuccess;
}
cudaError_t sim_cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  if (!pool) return cudaErrorInvalidValue;
  if (!known_device(device)) return cudaErrorInvalidDevice;
  *pool = handle(current_pool(device));
  return cudaSuccess;
}
cudaError_t sim_cudaDeviceSetMemPool(int device, cudaMemPool_t pool_handle) {
  if (!known_device(device)) return cudaErrorInvalidDevice;
  Pool* pool = pool_from(pool_handle);
  if (!pool || device_of(*pool) != device) return cudaErrorInvalidValue;
  set_current_pool(device, pool);
  return cudaSuccess;
}
cudaError_t sim_cudaMemGetDefaultMemPool(cudaMemPool_t* pool, cudaMemLocation* location, cudaMemAllocationType type) {
  int device = 0;
  if (!pool) return cudaErrorInvalidValue;
  if (const cudaError_t error = device_of_place(location, type, &device)) return error;
  return sim_cudaDeviceGetDefaultMemPool(pool, device);
}
cudaError_t sim_cudaMemGetMemPool(cudaMemPool_t* pool, cudaMemLocation* location, cudaMemAllocationType type) {
  int device = 0;
  if (!pool) return cudaErrorInvalidValue;
  if (const cudaError_t error = device_of_place(location, type, &device)) return error;
  return sim_cudaDeviceGetMemPool(pool, device);
}
cudaError_t sim_cudaMemSetMemPool(cudaMemLocation* location, cudaMemAllocationType type, cudaMemPool_t pool) {
  int device = 0;
  if (const cudaError_t error = device_of_place(location, type, &device)) return error;
  return sim_cudaDeviceSetMemPool(device, pool);
}

cudaError_t sim_cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  int device = 0;
  if (!pool || !properties) return cudaErrorInvalidValue;
  if (const cudaError_t error = device_of_place(&properties->location, properties->allocType, &device)) return error;
  if (properties->handleTypes != cudaMemHandleTypeNone) return cudaErrorNotSupported;  // no sharing between processes
  *pool = handle(create_pool(device, properties->maxSize));
  return cudaSuccess;
}
cudaError_t sim_cudaMemPoolDestroy(cudaMemPool_t pool_handle) {
  Pool* pool = pool_from(pool_handle);
  return pool && destroy_pool(pool) ? cudaSuccess : cudaErrorInvalidValue;
}
cudaError_t sim_cudaMemPoolGetAttribute(cudaMemPool_t pool_handle, cudaMemPoolAttr attribute, void* value) {
  Pool* pool = pool_from(pool_handle);
  return pool && value && get_pool_attribute(pool, attribute, value) ? cudaSuccess : cudaErrorInvalidValue;
}
cudaError_t sim_cudaMemPoolSetAttribute(cudaMemPool_t pool_handle, cudaMemPoolAttr attribute, void* value) {
  Pool* pool = pool_from(pool_handle);
  return pool && value && set_pool_attribute(pool, attribute, value) ? cudaSuccess : cudaErrorInvalidValue;
}
cudaError_t sim_cudaMemPoolTrimTo(cudaMemPool_t pool_handle, size_t keep_bytes) {
  Pool* pool = pool_from(pool_handle);
  if (!pool) return cudaErrorInvalidValue;
  trim_pool(pool, keep_bytes);
  return cudaSuccess;
}
cudaError_t sim_cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool_handle, cudaMemLocation* location) {
  Pool* pool = pool_from(pool_handle);
  if (!pool || !flags || !location || location->type != cudaMemLocationTypeDevice) return cudaErrorInvalidValue;
  if (!known_device(location->id)) return cudaErrorInvalidDevice;
  *flags = pool_access(pool, location->id) ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
  return cudaSuccess;
}
cudaError_t sim_cudaMemPoolSetAccess(cudaMemPool_t pool_handle, const cudaMemAccessDesc* wanted, size_t count) {
  Pool* pool = pool_from(pool_handle);
  if (!pool || (count && !wanted)) return cudaErrorInvalidValue;
  for (size_t i = 0; i < count; ++i) {
    const cudaMemAccessDesc& w = wanted[i];
    if (w.location.type != cudaMemLocationTypeDevice) return cudaErrorInvalidValue;
    if (!known_device(w.location.id)) return cudaErrorInvalidDevice;
    // A device cannot be kept from its own memory.
    if (w.location.id == device_of(*pool) && w.flags == cudaMemAccessFlagsProtNone) return cudaErrorInvalidValue;
    set_pool_access(pool, w.location.id, w.flags != cudaMemAccessFlagsProtNone);
  }
  return cudaSuccess;
}

}  // extern "C"
