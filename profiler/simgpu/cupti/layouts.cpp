#include "profiler/simgpu/cupti/layouts.h"

#include <cupti_activity_deprecated.h>

namespace zerostall::simgpu::cupti {
namespace {

// As of CUPTI 12.4 (CUPTI_API_VERSION 22), the last library with its version before the records grew.
static_assert(sizeof(CUpti_ActivityKernel9) == 208 && sizeof(CUpti_ActivityKernel10) == 216);
static_assert(offsetof(CUpti_ActivityKernel9, name) == 104 && offsetof(CUpti_ActivityKernel10, name) == 104);
static_assert(offsetof(CUpti_ActivityKernel9, graphId) == offsetof(CUpti_ActivityKernel10, graphId));
static_assert(offsetof(CUpti_ActivityKernel9, correlationId) == 92);
static_assert(sizeof(CUpti_ActivityMemcpy5) == 88 && sizeof(CUpti_ActivityMemcpy6) == 96);
static_assert(offsetof(CUpti_ActivityMemcpy5, graphId) == 72 && offsetof(CUpti_ActivityMemcpy6, graphId) == 72);
static_assert(sizeof(CUpti_ActivitySynchronization) == 40 && sizeof(CUpti_ActivitySynchronization2) == 56);
static_assert(offsetof(CUpti_ActivitySynchronization, cudaEventId) ==
              offsetof(CUpti_ActivitySynchronization2, cudaEventId));
static_assert(sizeof(CUpti_ActivityCudaEvent) == 24 && sizeof(CUpti_ActivityCudaEvent2) == 56);
static_assert(offsetof(CUpti_ActivityCudaEvent, eventId) == offsetof(CUpti_ActivityCudaEvent2, eventId));
static_assert(sizeof(CUpti_ActivityMemory3) == 120 && sizeof(CUpti_ActivityMemory4) == 128);
static_assert(sizeof(CUpti_ActivityMemoryPool2) == 72 && sizeof(CUpti_ActivityMemoryPool3) == 80);
static_assert(sizeof(CUpti_ActivityContext2) == 24 && sizeof(CUpti_ActivityContext3) == 32);
static_assert(sizeof(CUpti_ActivityMemcpyPtoP4) == 96 && sizeof(CUpti_ActivityMemset4) == 88);
static_assert(sizeof(CUpti_ActivityAPI) == 40 && sizeof(CUpti_ActivityExternalCorrelation) == 24);
static_assert(sizeof(CUpti_ActivityGraphTrace2) == 56 && sizeof(CUpti_ActivityOverhead3) == 56);

}  // namespace

std::size_t record_bytes(CUpti_ActivityKind kind, int cuda_major) {
  const bool old = cuda_major < 13;
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL:
      return old ? sizeof(CUpti_ActivityKernel9) : sizeof(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return old ? sizeof(CUpti_ActivityMemcpy5) : sizeof(CUpti_ActivityMemcpy6);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return sizeof(CUpti_ActivityMemcpyPtoP4);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return sizeof(CUpti_ActivityMemset4);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return old ? sizeof(CUpti_ActivitySynchronization) : sizeof(CUpti_ActivitySynchronization2);
    case CUPTI_ACTIVITY_KIND_CUDA_EVENT:
      return old ? sizeof(CUpti_ActivityCudaEvent) : sizeof(CUpti_ActivityCudaEvent2);
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
      return sizeof(CUpti_ActivityExternalCorrelation);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return sizeof(CUpti_ActivityOverhead3);
    case CUPTI_ACTIVITY_KIND_MEMORY2:
      return old ? sizeof(CUpti_ActivityMemory3) : sizeof(CUpti_ActivityMemory4);
    case CUPTI_ACTIVITY_KIND_MEMORY_POOL:
      return old ? sizeof(CUpti_ActivityMemoryPool2) : sizeof(CUpti_ActivityMemoryPool3);
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return sizeof(CUpti_ActivityGraphTrace2);
    case CUPTI_ACTIVITY_KIND_DEVICE:
      return sizeof(CUpti_ActivityDevice5);
    case CUPTI_ACTIVITY_KIND_CONTEXT:
      return old ? sizeof(CUpti_ActivityContext2) : sizeof(CUpti_ActivityContext3);
    case CUPTI_ACTIVITY_KIND_STREAM:
      return sizeof(CUpti_ActivityStream);
    default:
      return 0;
  }
}

}  // namespace zerostall::simgpu::cupti
