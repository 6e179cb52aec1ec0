// cudaGetDeviceProperties: the attributes again, as a struct.
#include <cstdio>
#include <cstring>

#include "profiler/simgpu/core/attributes.h"
#include "profiler/simgpu/core/simulator.h"
#include "profiler/simgpu/runtime/support.h"
#include "runtime_behaviours.h"

using namespace zerostall::simgpu;

namespace {

using Prop = cudaDeviceProp;

struct IntField {
  int Prop::*field;
  cudaDeviceAttr attribute;
};
constexpr IntField kInts[] = {
    {&Prop::regsPerBlock, cudaDevAttrMaxRegistersPerBlock},
    {&Prop::warpSize, cudaDevAttrWarpSize},
    {&Prop::maxThreadsPerBlock, cudaDevAttrMaxThreadsPerBlock},
    {&Prop::major, cudaDevAttrComputeCapabilityMajor},
    {&Prop::minor, cudaDevAttrComputeCapabilityMinor},
    {&Prop::multiProcessorCount, cudaDevAttrMultiProcessorCount},
    {&Prop::integrated, cudaDevAttrIntegrated},
    {&Prop::canMapHostMemory, cudaDevAttrCanMapHostMemory},
    {&Prop::maxTexture1D, cudaDevAttrMaxTexture1DWidth},
    {&Prop::maxTexture1DMipmap, cudaDevAttrMaxTexture1DMipmappedWidth},
    {&Prop::maxTextureCubemap, cudaDevAttrMaxTextureCubemapWidth},
    {&Prop::maxSurface1D, cudaDevAttrMaxSurface1DWidth},
    {&Prop::maxSurfaceCubemap, cudaDevAttrMaxSurfaceCubemapWidth},
    {&Prop::concurrentKernels, cudaDevAttrConcurrentKernels},
    {&Prop::ECCEnabled, cudaDevAttrEccEnabled},
    {&Prop::pciBusID, cudaDevAttrPciBusId},
    {&Prop::pciDeviceID, cudaDevAttrPciDeviceId},
    {&Prop::pciDomainID, cudaDevAttrPciDomainId},
    {&Prop::tccDriver, cudaDevAttrTccDriver},
    {&Prop::asyncEngineCount, cudaDevAttrAsyncEngineCount},
    {&Prop::unifiedAddressing, cudaDevAttrUnifiedAddressing},
    {&Prop::memoryBusWidth, cudaDevAttrGlobalMemoryBusWidth},
    {&Prop::l2CacheSize, cudaDevAttrL2CacheSize},
    {&Prop::persistingL2CacheMaxSize, cudaDevAttrMaxPersistingL2CacheSize},
    {&Prop::maxThreadsPerMultiProcessor, cudaDevAttrMaxThreadsPerMultiProcessor},
    {&Prop::streamPrioritiesSupported, cudaDevAttrStreamPrioritiesSupported},
    {&Prop::globalL1CacheSupported, cudaDevAttrGlobalL1CacheSupported},
    {&Prop::localL1CacheSupported, cudaDevAttrLocalL1CacheSupported},
    {&Prop::regsPerMultiprocessor, cudaDevAttrMaxRegistersPerMultiprocessor},
    {&Prop::managedMemory, cudaDevAttrManagedMemory},
    {&Prop::isMultiGpuBoard, cudaDevAttrIsMultiGpuBoard},
    {&Prop::multiGpuBoardGroupID, cudaDevAttrMultiGpuBoardGroupID},
    {&Prop::hostNativeAtomicSupported, cudaDevAttrHostNativeAtomicSupported},
    {&Prop::pageableMemoryAccess, cudaDevAttrPageableMemoryAccess},
    {&Prop::concurrentManagedAccess, cudaDevAttrConcurrentManagedAccess},
    {&Prop::computePreemptionSupported, cudaDevAttrComputePreemptionSupported},
    {&Prop::canUseHostPointerForRegisteredMem, cudaDevAttrCanUseHostPointerForRegisteredMem},
    {&Prop::cooperativeLaunch, cudaDevAttrCooperativeLaunch},
    {&Prop::pageableMemoryAccessUsesHostPageTables, cudaDevAttrPageableMemoryAccessUsesHostPageTables},
    {&Prop::directManagedMemAccessFromHost, cudaDevAttrDirectManagedMemAccessFromHost},
    {&Prop::maxBlocksPerMultiProcessor, cudaDevAttrMaxBlocksPerMultiprocessor},
    {&Prop::accessPolicyMaxWindowSize, cudaDevAttrMaxAccessPolicyWindowSize},
    {&Prop::hostRegisterSupported, cudaDevAttrHostRegisterSupported},
    {&Prop::sparseCudaArraySupported, cudaDevAttrSparseCudaArraySupported},
    {&Prop::hostRegisterReadOnlySupported, cudaDevAttrHostRegisterReadOnlySupported},
    {&Prop::timelineSemaphoreInteropSupported, cudaDevAttrTimelineSemaphoreInteropSupported},
    {&Prop::memoryPoolsSupported, cudaDevAttrMemoryPoolsSupported},
    {&Prop::gpuDirectRDMASupported, cudaDevAttrGPUDirectRDMASupported},
    {&Prop::gpuDirectRDMAWritesOrdering, cudaDevAttrGPUDirectRDMAWritesOrdering},
    {&Prop::deferredMappingCudaArraySupported, cudaDevAttrDeferredMappingCudaArraySupported},
    {&Prop::ipcEventSupported, cudaDevAttrIpcEventSupport},
    {&Prop::clusterLaunch, cudaDevAttrClusterLaunch},
    {&Prop::deviceNumaConfig, cudaDevAttrNumaConfig},
    {&Prop::deviceNumaId, cudaDevAttrNumaId},
    {&Prop::mpsEnabled, cudaDevAttrMpsEnabled},
    {&Prop::hostNumaId, cudaDevAttrHostNumaId},
    {&Prop::hostNumaMultinodeIpcSupported, cudaDevAttrHostNumaMultinodeIpcSupported},
};

struct SizeField {
  std::size_t Prop::*field;
  cudaDeviceAttr attribute;
};
constexpr SizeField kSizes[] = {
    {&Prop::sharedMemPerBlock, cudaDevAttrMaxSharedMemoryPerBlock},
    {&Prop::memPitch, cudaDevAttrMaxPitch},
    {&Prop::totalConstMem, cudaDevAttrTotalConstantMemory},
    {&Prop::textureAlignment, cudaDevAttrTextureAlignment},
    {&Prop::texturePitchAlignment, cudaDevAttrTexturePitchAlignment},
    {&Prop::surfaceAlignment, cudaDevAttrSurfaceAlignment},
    {&Prop::sharedMemPerMultiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor},
    {&Prop::sharedMemPerBlockOptin, cudaDevAttrMaxSharedMemoryPerBlockOptin},
    {&Prop::reservedSharedMemPerBlock, cudaDevAttrReservedSharedMemoryPerBlock},
};

void fill_limits(Prop& p) {
  const auto put = [](int* out, std::initializer_list<cudaDeviceAttr> attributes) {
    for (const cudaDeviceAttr a : attributes) *out++ = device_attribute(a);
  };
  put(p.maxThreadsDim, {cudaDevAttrMaxBlockDimX, cudaDevAttrMaxBlockDimY, cudaDevAttrMaxBlockDimZ});
  put(p.maxGridSize, {cudaDevAttrMaxGridDimX, cudaDevAttrMaxGridDimY, cudaDevAttrMaxGridDimZ});
  put(p.maxTexture2D, {cudaDevAttrMaxTexture2DWidth, cudaDevAttrMaxTexture2DHeight});
  put(p.maxTexture2DMipmap, {cudaDevAttrMaxTexture2DMipmappedWidth, cudaDevAttrMaxTexture2DMipmappedHeight});
  put(p.maxTexture2DLinear,
      {cudaDevAttrMaxTexture2DLinearWidth, cudaDevAttrMaxTexture2DLinearHeight, cudaDevAttrMaxTexture2DLinearPitch});
  put(p.maxTexture2DGather, {cudaDevAttrMaxTexture2DGatherWidth, cudaDevAttrMaxTexture2DGatherHeight});
  put(p.maxTexture3D, {cudaDevAttrMaxTexture3DWidth, cudaDevAttrMaxTexture3DHeight, cudaDevAttrMaxTexture3DDepth});
  put(p.maxTexture3DAlt,
      {cudaDevAttrMaxTexture3DWidthAlt, cudaDevAttrMaxTexture3DHeightAlt, cudaDevAttrMaxTexture3DDepthAlt});
  put(p.maxTexture1DLayered, {cudaDevAttrMaxTexture1DLayeredWidth, cudaDevAttrMaxTexture1DLayeredLayers});
  put(p.maxTexture2DLayered, {cudaDevAttrMaxTexture2DLayeredWidth, cudaDevAttrMaxTexture2DLayeredHeight,
                              cudaDevAttrMaxTexture2DLayeredLayers});
  put(p.maxTextureCubemapLayered,
      {cudaDevAttrMaxTextureCubemapLayeredWidth, cudaDevAttrMaxTextureCubemapLayeredLayers});
  put(p.maxSurface2D, {cudaDevAttrMaxSurface2DWidth, cudaDevAttrMaxSurface2DHeight});
  put(p.maxSurface3D, {cudaDevAttrMaxSurface3DWidth, cudaDevAttrMaxSurface3DHeight, cudaDevAttrMaxSurface3DDepth});
  put(p.maxSurface1DLayered, {cudaDevAttrMaxSurface1DLayeredWidth, cudaDevAttrMaxSurface1DLayeredLayers});
  put(p.maxSurface2DLayered, {cudaDevAttrMaxSurface2DLayeredWidth, cudaDevAttrMaxSurface2DLayeredHeight,
                              cudaDevAttrMaxSurface2DLayeredLayers});
  put(p.maxSurfaceCubemapLayered,
      {cudaDevAttrMaxSurfaceCubemapLayeredWidth, cudaDevAttrMaxSurfaceCubemapLayeredLayers});
}

bool known_device(int device) { return device >= 0 && device < device_count(); }

}  // namespace

extern "C" {

cudaError_t sim_cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (!value || !known_attribute(attribute)) return cudaErrorInvalidValue;
  if (!known_device(device)) return cudaErrorInvalidDevice;
  *value = device_attribute(attribute, device);
  return cudaSuccess;
}

cudaError_t sim_cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  if (!p) return cudaErrorInvalidValue;
  if (!known_device(device)) return cudaErrorInvalidDevice;
  const DeviceModel& m = simulator().model;
  std::memset(p, 0, sizeof *p);
  std::snprintf(p->name, sizeof p->name, "%s", m.name.c_str());
  std::memcpy(p->uuid.bytes, device_identity(device).uuid.data(), sizeof p->uuid.bytes);
  p->totalGlobalMem = static_cast<std::size_t>(m.memory_bytes);
  for (const IntField& f : kInts) p->*f.field = device_attribute(f.attribute, device);
  for (const SizeField& f : kSizes) p->*f.field = static_cast<std::size_t>(device_attribute(f.attribute, device));
  fill_limits(*p);
  return cudaSuccess;
}

}  // extern "C"
