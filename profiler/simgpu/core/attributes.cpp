#include "profiler/simgpu/core/attributes.h"

#include <cuda_runtime_api.h>

#include <iterator>

#include "profiler/simgpu/core/simulator.h"

namespace zerostall::simgpu {
namespace {

struct Fixed {
  int attribute, value;
};

// Alike for all devices of compute capability 8.0 and newer. Sources: CUDA programming guide, "technical specifications
// per compute capability"; the driver's own numbers where only it has a name.
constexpr Fixed kFixed[] = {
    {cudaDevAttrMaxThreadsPerBlock, kMaxThreads},
    {cudaDevAttrMaxBlockDimX, kMaxThreads},
    {cudaDevAttrMaxBlockDimY, kMaxThreads},
    {cudaDevAttrMaxBlockDimZ, 64},
    {cudaDevAttrMaxGridDimX, kMaxGridX},
    {cudaDevAttrMaxGridDimY, kMaxGrid},
    {cudaDevAttrMaxGridDimZ, kMaxGrid},
    {cudaDevAttrMaxSharedMemoryPerBlock, 49152},
    {cudaDevAttrTotalConstantMemory, 65536},
    {cudaDevAttrWarpSize, kWarp},
    {cudaDevAttrMaxPitch, 2147483647},
    {cudaDevAttrMaxRegistersPerBlock, kRegisters},
    {cudaDevAttrMaxRegistersPerMultiprocessor, kRegisters},
    {cudaDevAttrTextureAlignment, 512},
    {cudaDevAttrTexturePitchAlignment, 32},
    {cudaDevAttrSurfaceAlignment, 512},
    {cudaDevAttrGpuOverlap, 1},
    {cudaDevAttrCanMapHostMemory, 1},
    {cudaDevAttrMaxTexture1DWidth, 131072},
    {cudaDevAttrMaxTexture1DLinearWidth, 268435456},
    {cudaDevAttrMaxTexture1DMipmappedWidth, 32768},
    {cudaDevAttrMaxTexture1DLayeredWidth, 32768},
    {cudaDevAttrMaxTexture1DLayeredLayers, 2048},
    {cudaDevAttrMaxTexture2DWidth, 131072},
    {cudaDevAttrMaxTexture2DHeight, 65536},
    {cudaDevAttrMaxTexture2DLinearWidth, 131072},
    {cudaDevAttrMaxTexture2DLinearHeight, 65000},
    {cudaDevAttrMaxTexture2DLinearPitch, 2097120},
    {cudaDevAttrMaxTexture2DMipmappedWidth, 32768},
    {cudaDevAttrMaxTexture2DMipmappedHeight, 32768},
    {cudaDevAttrMaxTexture2DGatherWidth, 32768},
    {cudaDevAttrMaxTexture2DGatherHeight, 32768},
    {cudaDevAttrMaxTexture2DLayeredWidth, 32768},
    {cudaDevAttrMaxTexture2DLayeredHeight, 32768},
    {cudaDevAttrMaxTexture2DLayeredLayers, 2048},
    {cudaDevAttrMaxTexture3DWidth, 16384},
    {cudaDevAttrMaxTexture3DHeight, 16384},
    {cudaDevAttrMaxTexture3DDepth, 16384},
    {cudaDevAttrMaxTexture3DWidthAlt, 8192},
    {cudaDevAttrMaxTexture3DHeightAlt, 8192},
    {cudaDevAttrMaxTexture3DDepthAlt, 32768},
    {cudaDevAttrMaxTextureCubemapWidth, 32768},
    {cudaDevAttrMaxTextureCubemapLayeredWidth, 32768},
    {cudaDevAttrMaxTextureCubemapLayeredLayers, 2046},
    {cudaDevAttrMaxSurface1DWidth, 32768},
    {cudaDevAttrMaxSurface1DLayeredWidth, 32768},
    {cudaDevAttrMaxSurface1DLayeredLayers, 2048},
    {cudaDevAttrMaxSurface2DWidth, 131072},
    {cudaDevAttrMaxSurface2DHeight, 65536},
    {cudaDevAttrMaxSurface2DLayeredWidth, 32768},
    {cudaDevAttrMaxSurface2DLayeredHeight, 32768},
    {cudaDevAttrMaxSurface2DLayeredLayers, 2048},
    {cudaDevAttrMaxSurface3DWidth, 16384},
    {cudaDevAttrMaxSurface3DHeight, 16384},
    {cudaDevAttrMaxSurface3DDepth, 16384},
    {cudaDevAttrMaxSurfaceCubemapWidth, 32768},
    {cudaDevAttrMaxSurfaceCubemapLayeredWidth, 32768},
    {cudaDevAttrMaxSurfaceCubemapLayeredLayers, 2046},
    {cudaDevAttrConcurrentKernels, 1},
    {cudaDevAttrAsyncEngineCount, 3},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrStreamPrioritiesSupported, 1},
    {cudaDevAttrGlobalL1CacheSupported, 1},
    {cudaDevAttrLocalL1CacheSupported, 1},
    {cudaDevAttrManagedMemory, 1},
    {cudaDevAttrConcurrentManagedAccess, 1},
    {cudaDevAttrComputePreemptionSupported, 1},
    {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
    {cudaDevAttrCooperativeLaunch, 1},
    {cudaDevAttrHostRegisterSupported, 1},
    {cudaDevAttrHostRegisterReadOnlySupported, 1},
    {102, 1},  // CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
    {103, 1},  // CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED
    {cudaDevAttrMaxAccessPolicyWindowSize, 134213632},
    {cudaDevAttrReservedSharedMemoryPerBlock, 1024},
    {cudaDevAttrMemoryPoolsSupported, 1},
    {cudaDevAttrNumaId, -1},
};

// What follows from the compute capability.
bool capability_attribute(const DeviceModel& m, int attribute, int* value) {
  const auto capability = m.compute_major * 10 + m.compute_minor;
  const bool data_center = capability == 80 || capability == 90 || capability == 100 || capability == 103;
  switch (attribute) {
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
      *value = data_center ? 2 : 64;
      return true;
    case cudaDevAttrEccEnabled:
      *value = static_cast<int>(m.ecc);
      return true;
    case cudaDevAttrClusterLaunch:
    case 127:  // CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED
      *value = capability >= 90;
      return true;
    case cudaDevAttrMemSyncDomainCount:
      *value = capability >= 90 ? 4 : 1;
      return true;
    case cudaDevAttrMaxPersistingL2CacheSize:  // three quarters may be set aside
      *value = static_cast<int>(m.l2_bytes / 4 * 3);
      return true;
    default:
      return false;
  }
}

int model_attribute(const DeviceModel& m, int attribute) {
  switch (attribute) {
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
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return static_cast<int>(m.blocks_per_sm);
    default:
      return 0;
  }
}

}  // namespace

int device_attribute(int attribute, int device) {
  const DeviceModel& m = simulator().model;
  for (const Fixed& f : kFixed)
    if (f.attribute == attribute) return f.value;
  int value = 0;
  if (capability_attribute(m, attribute, &value)) return value;
  switch (attribute) {
    case cudaDevAttrPciBusId:
      return static_cast<int>(device_identity(device).pci_bus);
    case cudaDevAttrPciDeviceId:
      return static_cast<int>(device_identity(device).pci_device);
    case cudaDevAttrPciDomainId:
      return static_cast<int>(device_identity(device).pci_domain);
    default:
      return model_attribute(m, attribute);
  }
}

bool known_attribute(int attribute) {
  constexpr int kLast = cudaDevAttrOnlyPartialHostNativeAtomicSupported;
  return attribute >= 1 && attribute <= kLast;
}

}  // namespace zerostall::simgpu
