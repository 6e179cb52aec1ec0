// cudaGetDriverEntryPoint: the runtime's way to functions of the driver.
#include <dlfcn.h>

#include <string>

#include "profiler/simgpu/runtime/support.h"
#include "runtime_behaviours.h"

extern "C" {

cudaError_t sim_cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned version,
                                                 unsigned long long, cudaDriverEntryPointQueryResult* result) {
  if (!symbol || !function) return cudaErrorInvalidValue;
  *function = nullptr;
  if (void* driver = dlopen("libcuda.so.1", RTLD_NOW)) {
    // As cuGetProcAddress: the newest form of the name that the asked version knows. All "_v2" forms here are older
    // than 12.0.
    if (version >= 12000) *function = dlsym(driver, (std::string(symbol) + "_v2").c_str());
    if (!*function) *function = dlsym(driver, symbol);
  }
  if (result) *result = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

}  // extern "C"
