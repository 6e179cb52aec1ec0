// cudaGetDriverEntryPoint: the runtime's way to functions of the driver.
#include "profiler/simgpu/core/driver_forms.h"
#include "profiler/simgpu/runtime/support.h"
#include "runtime_behaviours.h"

using namespace zerostall::simgpu;

extern "C" {

cudaError_t sim_cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned version,
                                                 unsigned long long flags, cudaDriverEntryPointQueryResult* result) {
  if (!symbol || !function) return cudaErrorInvalidValue;
  const bool per_thread_stream = flags & cudaEnablePerThreadDefaultStream;
  *function = find_driver_function(symbol, static_cast<int>(version), per_thread_stream);
  if (result)
    *result = *function                                            ? cudaDriverEntryPointSuccess
              : form_of(symbol, static_cast<int>(version)).empty() ? cudaDriverEntryPointVersionNotSufficent
                                                                   : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

}  // extern "C"
