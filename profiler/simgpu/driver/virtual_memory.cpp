// Driver API: virtual memory management.
#include "profiler/simgpu/core/virtual_memory.h"

#include <cstring>

#include "driver_behaviours.h"
#include "profiler/simgpu/core/journal.h"
#include "profiler/simgpu/driver/convert.h"

using namespace zerostall::simgpu;

namespace {

constexpr unsigned kKnownHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

bool known_device(int device) { return device >= 0 && device < device_count(); }

CUresult check(const CUmemAllocationProp* p) {
  if (!p || p->type != CU_MEM_ALLOCATION_TYPE_PINNED) return CUDA_ERROR_INVALID_VALUE;
  if (p->location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_NOT_SUPPORTED;  // memory of the host
  if (p->requestedHandleTypes & ~kKnownHandleTypes) return CUDA_ERROR_NOT_SUPPORTED;     // fabric handles
  return known_device(p->location.id) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

bool aligned(CUdeviceptr pointer, std::size_t bytes) {
  return pointer % kMappingGranularity == 0 && bytes != 0 && bytes % kMappingGranularity == 0;
}

}  // namespace

extern "C" {

CUresult sim_cuMemGetAllocationGranularity(size_t* granularity, const CUmemAllocationProp* properties,
                                           CUmemAllocationGranularity_flags) {
  if (!granularity) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult r = check(properties)) return r;
  *granularity = kMappingGranularity;
  return CUDA_SUCCESS;
}
CUresult sim_cuMemAddressReserve(CUdeviceptr* pointer, size_t bytes, size_t alignment, CUdeviceptr wanted,
                                 unsigned long long flags) {
  if (!pointer || flags || !aligned(0, bytes) || alignment & (alignment - 1)) return CUDA_ERROR_INVALID_VALUE;
  const std::size_t step = alignment > kMappingGranularity ? alignment : kMappingGranularity;
  void* p = simulator().memory.reserve_addresses(bytes, step, wanted % step ? nullptr : address(wanted));
  *pointer = reinterpret_cast<CUdeviceptr>(p);
  return p ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
CUresult sim_cuMemAddressFree(CUdeviceptr pointer, size_t bytes) {
  return simulator().memory.free_addresses(address(pointer), bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult sim_cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes, const CUmemAllocationProp* properties,
                         unsigned long long flags) {
  if (!handle || flags) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult r = check(properties)) return r;
  std::uint64_t made = 0;
  const cudaError_t error =
      create_physical(&made, bytes, properties->location.id, static_cast<unsigned>(properties->requestedHandleTypes));
  *handle = made;
  return result(error);
}
CUresult sim_cuMemRelease(CUmemGenericAllocationHandle handle) { return result(release_physical(handle)); }
CUresult sim_cuMemMap(CUdeviceptr pointer, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                      unsigned long long flags) {
  if (flags || !aligned(pointer, bytes)) return CUDA_ERROR_INVALID_VALUE;
  return result(map_physical(address(pointer), bytes, offset, handle));
}
CUresult sim_cuMemUnmap(CUdeviceptr pointer, size_t bytes) {
  if (!aligned(pointer, bytes)) return CUDA_ERROR_INVALID_VALUE;
  return result(unmap_physical(address(pointer), bytes));
}
CUresult sim_cuMemSetAccess(CUdeviceptr pointer, size_t bytes, const CUmemAccessDesc* wanted, size_t count) {
  if (!wanted || !count || !aligned(pointer, bytes)) return CUDA_ERROR_INVALID_VALUE;
  bool accessible = false;
  for (size_t i = 0; i < count; ++i) {
    const bool device = wanted[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE;
    if (device && !known_device(wanted[i].location.id)) return CUDA_ERROR_INVALID_DEVICE;
    accessible = accessible || wanted[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE;
  }
  return simulator().memory.set_access(address(pointer), bytes, accessible) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult sim_cuMemGetAccess(unsigned long long* flags, const CUmemLocation* location, CUdeviceptr pointer) {
  if (!flags || !location || location->type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_INVALID_VALUE;
  const MemoryMap::Block block = simulator().memory.find(address(pointer));
  if (block.origin != Origin::mapped) return CUDA_ERROR_INVALID_VALUE;
  *flags = block.accessible ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
  return CUDA_SUCCESS;
}
CUresult sim_cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* pointer) {
  if (!handle) return CUDA_ERROR_INVALID_VALUE;
  *handle = physical_at(pointer);
  return *handle ? result(retain_physical(*handle)) : CUDA_ERROR_INVALID_VALUE;
}
CUresult sim_cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* properties,
                                                    CUmemGenericAllocationHandle handle) {
  Physical physical;
  if (!properties || !find_physical(handle, &physical)) return CUDA_ERROR_INVALID_VALUE;
  std::memset(properties, 0, sizeof *properties);
  properties->type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties->requestedHandleTypes = static_cast<CUmemAllocationHandleType>(physical.handle_types);
  properties->location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties->location.id = physical.device;
  return CUDA_SUCCESS;
}
CUresult sim_cuMemExportToShareableHandle(void* out, CUmemGenericAllocationHandle handle,
                                          CUmemAllocationHandleType type, unsigned long long flags) {
  if (!out || flags) return CUDA_ERROR_INVALID_VALUE;
  if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
  return result(export_physical(handle, static_cast<int*>(out)));
}
// A handle of another process: its memory is not ours to see.
CUresult sim_cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* os_handle,
                                            CUmemAllocationHandleType type) {
  if (!handle || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_INVALID_VALUE;
  std::uint64_t found = 0;
  const int descriptor = static_cast<int>(reinterpret_cast<std::intptr_t>(os_handle));
  if (import_physical(&found, descriptor) != cudaSuccess) {
    report_unsupported("cuMemImportFromShareableHandle (of another process)");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  *handle = found;
  return CUDA_SUCCESS;
}

}  // extern "C"
