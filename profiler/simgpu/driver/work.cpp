// Driver API: copies and allocation.

#include "driver_behaviours.h"
#include "profiler/simgpu/core/copy.h"
#include "profiler/simgpu/core/wait.h"
#include "profiler/simgpu/driver/support.h"

using namespace zerostall::simgpu;

namespace {

CUresult status(CopyStatus s) { return static_cast<CUresult>(s); }
void* address(CUdeviceptr p) { return reinterpret_cast<void*>(p); }

}  // namespace

extern "C" {

CUresult sim_cuMemcpyHtoD_v2(CUdeviceptr target, const void* source, size_t bytes) {
  return status(copy({address(target), source, bytes, nullptr, false, "cuMemcpyHtoD"}));
}
CUresult sim_cuMemcpyDtoH_v2(void* target, CUdeviceptr source, size_t bytes) {
  return status(copy({target, address(source), bytes, nullptr, false, "cuMemcpyDtoH"}));
}
CUresult sim_cuMemcpyHtoDAsync_v2(CUdeviceptr target, const void* source, size_t bytes, CUstream stream) {
  return status(copy({address(target), source, bytes, stream, true, "cuMemcpyHtoDAsync"}));
}
CUresult sim_cuMemcpyDtoHAsync_v2(void* target, CUdeviceptr source, size_t bytes, CUstream stream) {
  return status(copy({target, address(source), bytes, stream, true, "cuMemcpyDtoHAsync"}));
}

CUresult sim_cuMemAlloc_v2(CUdeviceptr* pointer, size_t bytes) {
  Simulator& s = simulator();
  if (!pointer || !bytes) return CUDA_ERROR_INVALID_VALUE;
  s.clock.advance(s.model.allocate_ns);
  void* p = s.memory.allocate_device(bytes, static_cast<std::size_t>(s.model.memory_bytes));
  *pointer = reinterpret_cast<CUdeviceptr>(p);
  return p ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
CUresult sim_cuMemFree_v2(CUdeviceptr pointer) {
  if (!pointer) return CUDA_SUCCESS;
  wait_device();
  return simulator().memory.release(address(pointer), MemoryKind::device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult sim_cuMemGetInfo_v2(size_t* free_bytes, size_t* total_bytes) {
  const auto total = static_cast<std::size_t>(simulator().model.memory_bytes);
  if (total_bytes) *total_bytes = total;
  if (free_bytes) *free_bytes = total - simulator().memory.device_bytes();
  return CUDA_SUCCESS;
}

}  // extern "C"
