#include "profiler/simgpu/core/attributes.h"

#include <cuda_runtime_api.h>

#include "profiler/simgpu/core/simulator.h"

namespace zerostall::simgpu {

int device_attribute(int attribute) {
  const DeviceModel& m = simulator().model;
  switch (static_cast<cudaDeviceAttr>(attribute)) {
    case cudaDevAttrMaxThreadsPerBlock:
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
      return kMaxThreads;
    case cudaDevAttrMaxBlockDimZ:
      return 64;
    case cudaDevAttrMaxGridDimX:
      return kMaxGridX;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
      return kMaxGrid;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return 49152;
    case cudaDevAttrTotalConstantMemory:
      return 65536;
    case cudaDevAttrWarpSize:
      return kWarp;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return kRegisters;
    case cudaDevAttrClockRate:
      return static_cast<int>(m.clock_khz);
    case cudaDevAttrMultiProcessorCount:
      return static_cast<int>(m.sm_count);
    case cudaDevAttrMemoryClockRate:
      return static_cast<int>(m.memory_clock_khz);
    case cudaDevAttrGlobalMemoryBusWidth:
      return static_cast<int>(m.memory_bus_bits);
    case cudaDevAttrL2CacheSize:
      return static_cast<int>(m.l2_bytes);
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return static_cast<int>(m.threads_per_sm);
    case cudaDevAttrComputeCapabilityMajor:
      return static_cast<int>(m.compute_major);
    case cudaDevAttrComputeCapabilityMinor:
      return static_cast<int>(m.compute_minor);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return static_cast<int>(m.shared_per_sm_bytes);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return static_cast<int>(m.shared_optin_bytes);
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return 1024;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return static_cast<int>(m.blocks_per_sm);
    case cudaDevAttrAsyncEngineCount:
      return 3;
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrHostRegisterSupported:
      return 1;
    default:
      return 0;
  }
}

}  // namespace zerostall::simgpu
