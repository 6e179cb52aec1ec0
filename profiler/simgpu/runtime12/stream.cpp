// Stream capture, prefetches and external semaphores: functions of a stream, each once more for the per-thread default
// stream.
#include <cstdint>

#include "profiler/simgpu/runtime12/next.h"

NEXT(cudaStreamGetCaptureInfo);
NEXT_PTSZ(cudaStreamGetCaptureInfo);
NEXT(cudaStreamUpdateCaptureDependencies);
NEXT_PTSZ(cudaStreamUpdateCaptureDependencies);
NEXT(cudaMemPrefetchAsync);
NEXT_PTSZ(cudaMemPrefetchAsync);
NEXT(cudaMemAdvise);
NEXT(cudaSignalExternalSemaphoresAsync);
NEXT_PTSZ(cudaSignalExternalSemaphoresAsync);
NEXT(cudaWaitExternalSemaphoresAsync);
NEXT_PTSZ(cudaWaitExternalSemaphoresAsync);

namespace {

cudaMemLocation location_of(int device) {
  cudaMemLocation location{};
  location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  location.id = device == cudaCpuDeviceId ? 0 : device;
  return location;
}

}  // namespace

extern "C" {

cudaError_t compat12_cudaMemAdvise(const void* memory, size_t bytes, cudaMemoryAdvise advice, int device) {
  return next_cudaMemAdvise(memory, bytes, advice, location_of(device));
}
cudaError_t compat12_cudaMemAdvise_v2(const void* memory, size_t bytes, cudaMemoryAdvise advice,
                                      cudaMemLocation location) {
  return next_cudaMemAdvise(memory, bytes, advice, location);
}

// SUFFIX: of the exported names; NEXT_SUFFIX: of the functions of CUDA 13.
#define STREAM_FUNCTIONS(SUFFIX)                                                                                       \
  cudaError_t compat12_cudaStreamGetCaptureInfo##SUFFIX(cudaStream_t stream, cudaStreamCaptureStatus* status,          \
                                                        unsigned long long* id) {                                      \
    return next_cudaStreamGetCaptureInfo##SUFFIX(stream, status, id, nullptr, nullptr, nullptr, nullptr);              \
  }                                                                                                                    \
  cudaError_t compat12_cudaStreamGetCaptureInfo_v2##SUFFIX(cudaStream_t stream, cudaStreamCaptureStatus* status,       \
                                                           unsigned long long* id, cudaGraph_t* graph,                 \
                                                           const cudaGraphNode_t** dependencies, size_t* count) {      \
    return next_cudaStreamGetCaptureInfo##SUFFIX(stream, status, id, graph, dependencies, nullptr, count);             \
  }                                                                                                                    \
  cudaError_t compat12_cudaStreamGetCaptureInfo_v3##SUFFIX(                                                            \
      cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* graph,                \
      const cudaGraphNode_t** dependencies, const cudaGraphEdgeData** edges, size_t* count) {                          \
    return next_cudaStreamGetCaptureInfo##SUFFIX(stream, status, id, graph, dependencies, edges, count);               \
  }                                                                                                                    \
  cudaError_t compat12_cudaStreamUpdateCaptureDependencies##SUFFIX(cudaStream_t stream, cudaGraphNode_t* dependencies, \
                                                                   size_t count, unsigned flags) {                     \
    return next_cudaStreamUpdateCaptureDependencies##SUFFIX(stream, dependencies, nullptr, count, flags);              \
  }                                                                                                                    \
  cudaError_t compat12_cudaStreamUpdateCaptureDependencies_v2##SUFFIX(                                                 \
      cudaStream_t stream, cudaGraphNode_t* dependencies, const cudaGraphEdgeData* edges, size_t count,                \
      unsigned flags) {                                                                                                \
    return next_cudaStreamUpdateCaptureDependencies##SUFFIX(stream, dependencies, edges, count, flags);                \
  }                                                                                                                    \
  cudaError_t compat12_cudaMemPrefetchAsync##SUFFIX(const void* memory, size_t bytes, int device,                      \
                                                    cudaStream_t stream) {                                             \
    return next_cudaMemPrefetchAsync##SUFFIX(memory, bytes, location_of(device), 0, stream);                           \
  }                                                                                                                    \
  cudaError_t compat12_cudaMemPrefetchAsync_v2##SUFFIX(const void* memory, size_t bytes, cudaMemLocation location,     \
                                                       unsigned flags, cudaStream_t stream) {                          \
    return next_cudaMemPrefetchAsync##SUFFIX(memory, bytes, location, flags, stream);                                  \
  }                                                                                                                    \
  cudaError_t compat12_cudaSignalExternalSemaphoresAsync_v2##SUFFIX(                                                   \
      const cudaExternalSemaphore_t* semaphores, const cudaExternalSemaphoreSignalParams* parameters, unsigned count,  \
      cudaStream_t stream) {                                                                                           \
    return next_cudaSignalExternalSemaphoresAsync##SUFFIX(semaphores, parameters, count, stream);                      \
  }                                                                                                                    \
  cudaError_t compat12_cudaWaitExternalSemaphoresAsync_v2##SUFFIX(const cudaExternalSemaphore_t* semaphores,           \
                                                                  const cudaExternalSemaphoreWaitParams* parameters,   \
                                                                  unsigned count, cudaStream_t stream) {               \
    return next_cudaWaitExternalSemaphoresAsync##SUFFIX(semaphores, parameters, count, stream);                        \
  }

STREAM_FUNCTIONS()
STREAM_FUNCTIONS(_ptsz)

}  // extern "C"
