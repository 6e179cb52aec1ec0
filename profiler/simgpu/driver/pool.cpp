// Driver API: stream-ordered allocation and its pools.
#include "driver_behaviours.h"
#include "profiler/simgpu/core/pools.h"
#include "profiler/simgpu/driver/convert.h"

using namespace zerostall::simgpu;

namespace {

bool known_device(int device) { return device >= 0 && device < device_count(); }
CUmemoryPool handle(Pool* pool) { return reinterpret_cast<CUmemoryPool>(pool); }

CUresult allocate(CUdeviceptr* pointer, std::size_t bytes, Pool* pool, const void* stream) {
  if (!pointer || !bytes || !pool) return CUDA_ERROR_INVALID_VALUE;
  void* p = nullptr;
  const cudaError_t error = allocate_async(&p, bytes, pool, stream);
  *pointer = reinterpret_cast<CUdeviceptr>(p);
  return result(error);
}

}  // namespace

extern "C" {

CUresult sim_cuMemAllocAsync(CUdeviceptr* pointer, size_t bytes, CUstream stream) {
  return allocate(pointer, bytes, current_pool(current_device()), stream);
}
CUresult sim_cuMemAllocFromPoolAsync(CUdeviceptr* pointer, size_t bytes, CUmemoryPool pool, CUstream stream) {
  return allocate(pointer, bytes, pool_from(pool), stream);
}
CUresult sim_cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  return result(free_async(address(pointer), stream));
}
CUresult sim_cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  if (!pool) return CUDA_ERROR_INVALID_VALUE;
  if (!known_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  *pool = handle(default_pool(device));
  return CUDA_SUCCESS;
}
CUresult sim_cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
  if (!pool) return CUDA_ERROR_INVALID_VALUE;
  if (!known_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  *pool = handle(current_pool(device));
  return CUDA_SUCCESS;
}
CUresult sim_cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool_handle) {
  if (!known_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  Pool* pool = pool_from(pool_handle);
  if (!pool || device_of(*pool) != device) return CUDA_ERROR_INVALID_VALUE;
  set_current_pool(device, pool);
  return CUDA_SUCCESS;
}
CUresult sim_cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
  if (!pool || !properties || properties->allocType != CU_MEM_ALLOCATION_TYPE_PINNED) return CUDA_ERROR_INVALID_VALUE;
  if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE || properties->handleTypes != CU_MEM_HANDLE_TYPE_NONE)
    return CUDA_ERROR_NOT_SUPPORTED;
  if (!known_device(properties->location.id)) return CUDA_ERROR_INVALID_DEVICE;
  *pool = handle(create_pool(properties->location.id, properties->maxSize));
  return CUDA_SUCCESS;
}
CUresult sim_cuMemPoolDestroy(CUmemoryPool pool_handle) {
  Pool* pool = pool_from(pool_handle);
  return pool && destroy_pool(pool) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult sim_cuMemPoolGetAttribute(CUmemoryPool pool_handle, CUmemPool_attribute attribute, void* value) {
  Pool* pool = pool_from(pool_handle);
  return pool && value && get_pool_attribute(pool, attribute, value) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult sim_cuMemPoolSetAttribute(CUmemoryPool pool_handle, CUmemPool_attribute attribute, void* value) {
  Pool* pool = pool_from(pool_handle);
  return pool && value && set_pool_attribute(pool, attribute, value) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult sim_cuMemPoolTrimTo(CUmemoryPool pool_handle, size_t keep_bytes) {
  Pool* pool = pool_from(pool_handle);
  if (!pool) return CUDA_ERROR_INVALID_VALUE;
  trim_pool(pool, keep_bytes);
  return CUDA_SUCCESS;
}
CUresult sim_cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool pool_handle, CUmemLocation* location) {
  Pool* pool = pool_from(pool_handle);
  if (!pool || !flags || !location || location->type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_INVALID_VALUE;
  if (!known_device(location->id)) return CUDA_ERROR_INVALID_DEVICE;
  *flags = pool_access(pool, location->id) ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
  return CUDA_SUCCESS;
}
CUresult sim_cuMemPoolSetAccess(CUmemoryPool pool_handle, const CUmemAccessDesc* wanted, size_t count) {
  Pool* pool = pool_from(pool_handle);
  if (!pool || (count && !wanted)) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i) {
    const bool allowed = wanted[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE;
    if (wanted[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_INVALID_VALUE;
    if (!known_device(wanted[i].location.id)) return CUDA_ERROR_INVALID_DEVICE;
    if (wanted[i].location.id == device_of(*pool) && !allowed) return CUDA_ERROR_INVALID_VALUE;
    set_pool_access(pool, wanted[i].location.id, allowed);
  }
  return CUDA_SUCCESS;
}

}  // extern "C"
