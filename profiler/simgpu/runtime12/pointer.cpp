// cudaPointerGetAttributes: CUDA 13 made the struct longer; written in full it would run over the caller's.
#include "profiler/simgpu/runtime12/next.h"

NEXT(cudaPointerGetAttributes);

namespace {

struct PointerAttributes12 {
  cudaMemoryType type;
  int device;
  void *device_pointer, *host_pointer;
};
static_assert(sizeof(PointerAttributes12) == 24, "the size CUDA 12 gives cudaPointerAttributes");

}  // namespace

extern "C" cudaError_t compat12_cudaPointerGetAttributes(PointerAttributes12* attributes, const void* pointer) {
  if (!attributes) return cudaErrorInvalidValue;
  cudaPointerAttributes all{};
  const cudaError_t result = next_cudaPointerGetAttributes(&all, pointer);
  if (result == cudaSuccess) *attributes = {all.type, all.device, all.devicePointer, all.hostPointer};
  return result;
}
