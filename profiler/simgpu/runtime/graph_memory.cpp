// Memory of allocation nodes of graphs: there are no such nodes here, so none of it is ever in use. (PyTorch 2.15 asks
// on empty_cache.)
#include <cstdint>

#include "profiler/simgpu/core/context.h"
#include "profiler/simgpu/runtime/support.h"
#include "runtime_behaviours.h"

using namespace zerostall::simgpu;

namespace {

bool is_high_mark(cudaGraphMemAttributeType attribute) {
  return attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
}

}  // namespace

extern "C" {

cudaError_t sim_cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
  if (device < 0 || device >= device_count()) return cudaErrorInvalidDevice;
  if (!value || attribute < cudaGraphMemAttrUsedMemCurrent || attribute > cudaGraphMemAttrReservedMemHigh)
    return cudaErrorInvalidValue;
  *static_cast<std::uint64_t*>(value) = 0;
  return cudaSuccess;
}
// Only the high marks can be set, and only to zero.
cudaError_t sim_cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
  if (device < 0 || device >= device_count()) return cudaErrorInvalidDevice;
  if (!value || !is_high_mark(attribute) || *static_cast<std::uint64_t*>(value) != 0) return cudaErrorInvalidValue;
  return cudaSuccess;
}
cudaError_t sim_cudaDeviceGraphMemTrim(int device) {
  return device < 0 || device >= device_count() ? cudaErrorInvalidDevice : cudaSuccess;
}

}  // extern "C"
