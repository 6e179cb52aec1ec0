// Driver API: modules and launches.
#include "profiler/simgpu/core/launch.h"

#include <set>
#include <string>

#include "driver_behaviours.h"
#include "profiler/simgpu/driver/support.h"

using namespace zerostall::simgpu;

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
  return status(launch({symbol_of(f), dim3(gx, gy, gz), dim3(bx, by, bz), shared_bytes, stream, -1, f}));
}
CUresult sim_cuLaunchKernelEx(const CUlaunchConfig* c, CUfunction f, void** params, void** extra) {
  if (!c) return CUDA_ERROR_INVALID_VALUE;
  return sim_cuLaunchKernel(f, c->gridDimX, c->gridDimY, c->gridDimZ, c->blockDimX, c->blockDimY, c->blockDimZ,
                            c->sharedMemBytes, c->hStream, params, extra);
}

}  // extern "C"
