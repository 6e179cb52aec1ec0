// Driver API: what is known of an address.
#include <cstring>

#include "driver_behaviours.h"
#include "profiler/simgpu/core/virtual_memory.h"
#include "profiler/simgpu/driver/convert.h"

using namespace zerostall::simgpu;

namespace {

template <class T>
CUresult put(void* data, T value) {
  std::memcpy(data, &value, sizeof value);  // NOLINT(bugprone-sizeof-expression): a pointer is an answer, too
  return CUDA_SUCCESS;
}

unsigned handle_types(const MemoryMap::Block& block) {
  Physical physical;
  const bool mapped = find_physical(physical_at(reinterpret_cast<const void*>(block.base)), &physical);
  return mapped ? physical.handle_types : 0;
}

CUresult context_of(const MemoryMap::Block& block, void* data) {
  CUcontext context = nullptr;
  if (const CUresult r = sim_cuDevicePrimaryCtxRetain(&context, block.device)) return r;
  sim_cuDevicePrimaryCtxRelease_v2(block.device);
  return put(data, context);
}

CUresult attribute_of(const MemoryMap::Block& block, CUdeviceptr pointer, CUpointer_attribute attribute, void* data) {
  const bool on_device = block.kind == MemoryKind::device;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return context_of(block, data);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return put<unsigned>(data, block.kind == MemoryKind::pinned ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return put(data, pointer);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      return on_device ? CUDA_ERROR_INVALID_VALUE : put(data, pointer);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
      return put<unsigned char>(data, 0);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
      return put<unsigned long long>(data, block.id);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return put<unsigned>(data, block.kind == MemoryKind::managed);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return put(data, block.device);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      return put<unsigned char>(data, on_device && block.origin == Origin::allocated);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
      return put<CUdeviceptr>(data, block.base);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
      return put<std::size_t>(data, block.bytes);
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return put<unsigned char>(data, 1);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      return put<unsigned long long>(data, handle_types(block));
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return put<unsigned>(
          data, block.accessible ? CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE : CU_POINTER_ATTRIBUTE_ACCESS_FLAG_NONE);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return put(data, block.origin == Origin::pooled ? block.owner : nullptr);
    default:
      return CUDA_ERROR_NOT_SUPPORTED;  // tokens of the nv-p2p kernel interface
  }
}

// Whatever says "nothing" for an unknown address.
void put_nothing(CUpointer_attribute attribute, void* data) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      put(data, -2);
      return;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      put<unsigned>(data, 0);
      return;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
      put<unsigned char>(data, 0);
      return;
    default:
      put<void*>(data, nullptr);
  }
}

}  // namespace

extern "C" {

CUresult sim_cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr pointer) {
  const MemoryMap::Block block = simulator().memory.find(address(pointer));
  if (!data) return CUDA_ERROR_INVALID_VALUE;
  if (attribute == CU_POINTER_ATTRIBUTE_MAPPED && !block.base) return put<unsigned char>(data, 0);
  return block.base ? attribute_of(block, pointer, attribute, data) : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** data, CUdeviceptr pointer) {
  if (!count || !attributes || !data) return CUDA_ERROR_INVALID_VALUE;
  const MemoryMap::Block block = simulator().memory.find(address(pointer));
  for (unsigned i = 0; i < count; ++i)  // what does not apply reads as nothing, and is no error
    if (!block.base || attribute_of(block, pointer, attributes[i], data[i]) != CUDA_SUCCESS)
      put_nothing(attributes[i], data[i]);
  return CUDA_SUCCESS;
}

// The one that can be set makes synchronous copies of the range wait, which those of ours do where CUDA says so.
CUresult sim_cuPointerSetAttribute(const void* value, CUpointer_attribute attribute, CUdeviceptr pointer) {
  const MemoryKind kind = simulator().memory.find(address(pointer)).kind;
  const bool ok = value && attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS && kind == MemoryKind::device;
  return ok ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // extern "C"
