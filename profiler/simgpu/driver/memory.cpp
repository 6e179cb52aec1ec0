// Driver API: allocation, pinning, managed memory.
#include "driver_behaviours.h"
#include "profiler/simgpu/core/allocate.h"
#include "profiler/simgpu/core/managed.h"
#include "profiler/simgpu/driver/convert.h"

using namespace zerostall::simgpu;

namespace {

Location location(const CUmemLocation& l) { return {static_cast<int>(l.type), l.id}; }

// The driver refuses sizes of 0 where the runtime gives null.
template <class Allocate>
CUresult allocate(CUdeviceptr* pointer, std::size_t bytes, Allocate&& how) {
  if (!pointer || !bytes) return CUDA_ERROR_INVALID_VALUE;
  void* p = nullptr;
  const cudaError_t error = how(&p);
  *pointer = reinterpret_cast<CUdeviceptr>(p);
  return result(error);
}

}  // namespace

extern "C" {

CUresult sim_cuMemAlloc_v2(CUdeviceptr* pointer, size_t bytes) {
  return allocate(pointer, bytes, [&](void** p) { return allocate_device(p, bytes); });
}
CUresult sim_cuMemAllocPitch_v2(CUdeviceptr* pointer, size_t* pitch, size_t width, size_t rows, unsigned element) {
  if (element != 4 && element != 8 && element != 16) return CUDA_ERROR_INVALID_VALUE;
  return allocate(pointer, width * rows, [&](void** p) { return allocate_pitched(p, pitch, width, rows); });
}
CUresult sim_cuMemAllocManaged(CUdeviceptr* pointer, size_t bytes, unsigned flags) {
  return allocate(pointer, bytes, [&](void** p) { return allocate_managed(p, bytes, flags); });
}
CUresult sim_cuMemFree_v2(CUdeviceptr pointer) { return result(free_device(address(pointer))); }
CUresult sim_cuMemHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  return bytes ? result(allocate_pinned(pointer, bytes, flags)) : CUDA_ERROR_INVALID_VALUE;
}
CUresult sim_cuMemAllocHost_v2(void** pointer, size_t bytes) { return sim_cuMemHostAlloc(pointer, bytes, 0); }
CUresult sim_cuMemFreeHost(void* pointer) { return pointer ? result(free_pinned(pointer)) : CUDA_ERROR_INVALID_VALUE; }
CUresult sim_cuMemHostRegister_v2(void* pointer, size_t bytes, unsigned flags) {
  return result(register_pinned(pointer, bytes, flags));
}
CUresult sim_cuMemHostUnregister(void* pointer) { return result(unregister_pinned(pointer)); }
CUresult sim_cuMemHostGetDevicePointer_v2(CUdeviceptr* pointer, void* host, unsigned flags) {
  if (!pointer || flags || simulator().memory.find(host).kind != MemoryKind::pinned) return CUDA_ERROR_INVALID_VALUE;
  *pointer = reinterpret_cast<CUdeviceptr>(host);
  return CUDA_SUCCESS;
}
CUresult sim_cuMemHostGetFlags(unsigned* flags, void* host) {
  const MemoryMap::Block block = simulator().memory.find(host);
  if (!flags || block.kind != MemoryKind::pinned) return CUDA_ERROR_INVALID_VALUE;
  *flags = block.flags;
  return CUDA_SUCCESS;
}
CUresult sim_cuMemGetInfo_v2(size_t* free_bytes, size_t* total_bytes) {
  return result(memory_info(free_bytes, total_bytes));
}
CUresult sim_cuMemGetAddressRange_v2(CUdeviceptr* base, size_t* bytes, CUdeviceptr pointer) {
  const MemoryMap::Block block = simulator().memory.find(address(pointer));
  if (!block.base) return CUDA_ERROR_NOT_FOUND;
  if (base) *base = block.base;
  if (bytes) *bytes = block.bytes;
  return CUDA_SUCCESS;
}

CUresult sim_cuMemAdvise_v2(CUdeviceptr pointer, size_t bytes, CUmem_advise advice, CUmemLocation l) {
  return result(advise(address(pointer), bytes, advice, location(l)));
}
CUresult sim_cuMemAdvise(CUdeviceptr pointer, size_t bytes, CUmem_advise advice, CUdevice device) {
  return result(advise(address(pointer), bytes, advice, location_of_device(device)));
}
CUresult sim_cuMemPrefetchAsync_v2(CUdeviceptr pointer, size_t bytes, CUmemLocation l, unsigned flags,
                                   CUstream stream) {
  return flags ? CUDA_ERROR_INVALID_VALUE : result(prefetch(address(pointer), bytes, location(l), stream));
}
CUresult sim_cuMemPrefetchAsync(CUdeviceptr pointer, size_t bytes, CUdevice device, CUstream stream) {
  return result(prefetch(address(pointer), bytes, location_of_device(device), stream));
}
CUresult sim_cuMemRangeGetAttribute(void* data, size_t data_bytes, CUmem_range_attribute attribute, CUdeviceptr pointer,
                                    size_t bytes) {
  return result(range_attribute(data, data_bytes, attribute, address(pointer), bytes));
}
CUresult sim_cuMemRangeGetAttributes(void** data, size_t* data_bytes, CUmem_range_attribute* attributes, size_t count,
                                     CUdeviceptr pointer, size_t bytes) {
  if (!data || !data_bytes || !attributes || !count) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i)
    if (const CUresult r = sim_cuMemRangeGetAttribute(data[i], data_bytes[i], attributes[i], pointer, bytes)) return r;
  return CUDA_SUCCESS;
}

}  // extern "C"
