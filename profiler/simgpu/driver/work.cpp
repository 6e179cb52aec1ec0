// Driver API: modules and launches, copies, allocation, the calls that wait.

#include <set>
#include <string>

#include "driver_behaviours.h"
#include "profiler/simgpu/core/copy.h"
#include "profiler/simgpu/core/launch.h"
#include "profiler/simgpu/core/wait.h"
#include "profiler/simgpu/driver/support.h"

using namespace zerostall::simgpu;

namespace {

CUresult status(cudaError_t error) { return static_cast<CUresult>(error); }  // the codes used here have equal numbers
CUresult status(bool known) { return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE; }
CUresult status(QueryResult q) {
  if (q == QueryResult::unknown) return CUDA_ERROR_INVALID_HANDLE;
  return q == QueryResult::ready ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}
CUresult status(CopyStatus s) { return static_cast<CUresult>(s); }
void* address(CUdeviceptr p) { return reinterpret_cast<void*>(p); }

}  // namespace

extern "C" {

CUresult sim_cuModuleLoadData(CUmodule* module, const void* image) {
  if (!module || !image) return CUDA_ERROR_INVALID_VALUE;
  *module = reinterpret_cast<CUmodule>(const_cast<void*>(image));
  return CUDA_SUCCESS;
}
CUresult sim_cuModuleUnload(CUmodule) { return CUDA_SUCCESS; }
CUresult sim_cuModuleGetFunction(CUfunction* function, CUmodule, const char* name) {
  if (!function || !name) return CUDA_ERROR_INVALID_VALUE;
  static std::mutex lock;
  static auto* names = new std::set<std::string>;  // a function is its name, which lives as long as the process
  std::lock_guard guard(lock);
  *function = reinterpret_cast<CUfunction>(const_cast<char*>(names->insert(name).first->c_str()));
  return CUDA_SUCCESS;
}
CUresult sim_cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                            unsigned shared_bytes, CUstream stream, void**, void**) {
  if (!f || !gx || !gy || !gz || !bx || !by || !bz) return CUDA_ERROR_INVALID_VALUE;
  return status(launch({symbol_of(f), dim3(gx, gy, gz), dim3(bx, by, bz), shared_bytes, stream}));
}
CUresult sim_cuLaunchKernelEx(const CUlaunchConfig* c, CUfunction f, void** params, void** extra) {
  if (!c) return CUDA_ERROR_INVALID_VALUE;
  return sim_cuLaunchKernel(f, c->gridDimX, c->gridDimY, c->gridDimZ, c->blockDimX, c->blockDimY, c->blockDimZ,
                            c->sharedMemBytes, c->hStream, params, extra);
}

CUresult sim_cuStreamSynchronize(CUstream stream) { return status(wait_stream(stream)); }
CUresult sim_cuEventSynchronize(CUevent event) { return status(wait_event(event)); }
CUresult sim_cuStreamQuery(CUstream stream) { return status(query_stream(stream)); }
CUresult sim_cuEventQuery(CUevent event) { return status(query_event(event)); }
CUresult sim_cuCtxSynchronize() {
  wait_device();
  return CUDA_SUCCESS;
}

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
