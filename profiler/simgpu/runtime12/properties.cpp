// cudaGetDeviceProperties: CUDA 13 removed fields from the struct, so each major has a layout of its own.
#include <cstddef>
#include <cstring>

#include "profiler/simgpu/runtime12/next.h"

NEXT(cudaGetDeviceProperties);
NEXT(cudaDeviceGetAttribute);

namespace {

// cudaDeviceProp of CUDA 12. Up to reservedSharedMemPerBlock it is that of CUDA 11 too.
struct DeviceProp12 {
  char name[256];
  cudaUUID_t uuid;
  char luid[8];
  unsigned luidDeviceNodeMask;
  std::size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  std::size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
  std::size_t totalConstMem;
  int major, minor;
  std::size_t textureAlignment, texturePitchAlignment;
  int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
  int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2], maxTexture2DMipmap[2],
      maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap,
      maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemapLayered[2];
  int maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap,
      maxSurfaceCubemapLayered[2];
  std::size_t surfaceAlignment;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount, unifiedAddressing,
      memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor,
      streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
  std::size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported,
      singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported,
      canUseHostPointerForRegisteredMem, cooperativeLaunch, cooperativeMultiDeviceLaunch;
  std::size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor,
      accessPolicyMaxWindowSize;
  std::size_t reservedSharedMemPerBlock;
  int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported, timelineSemaphoreInteropSupported,
      memoryPoolsSupported, gpuDirectRDMASupported;
  unsigned gpuDirectRDMAFlushWritesOptions;
  int gpuDirectRDMAWritesOrdering;
  unsigned memoryPoolSupportedHandleTypes;
  int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers, reserved[63];
};
static_assert(sizeof(DeviceProp12) == 1032, "the size CUDA 12 gives cudaDeviceProp");

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  return next_cudaDeviceGetAttribute(&value, which, device) == cudaSuccess ? value : 0;
}

template <class T>
void copy(T& to, const T& from) {
  std::memcpy(&to, &from, sizeof(T));
}

cudaError_t fill(DeviceProp12& out, int device) {
  cudaDeviceProp in{};
  if (const cudaError_t result = next_cudaGetDeviceProperties(&in, device); result != cudaSuccess) return result;
  out = {};
#define SAME(field) copy(out.field, in.field)
  SAME(name), SAME(uuid), SAME(luid), SAME(luidDeviceNodeMask), SAME(totalGlobalMem), SAME(sharedMemPerBlock);
  SAME(regsPerBlock), SAME(warpSize), SAME(memPitch), SAME(maxThreadsPerBlock), SAME(maxThreadsDim), SAME(maxGridSize);
  SAME(totalConstMem), SAME(major), SAME(minor), SAME(textureAlignment), SAME(texturePitchAlignment);
  SAME(multiProcessorCount), SAME(integrated), SAME(canMapHostMemory), SAME(maxTexture1D), SAME(maxTexture1DMipmap);
  SAME(maxTexture2D), SAME(maxTexture2DMipmap), SAME(maxTexture2DLinear), SAME(maxTexture2DGather), SAME(maxTexture3D);
  SAME(maxTexture3DAlt), SAME(maxTextureCubemap), SAME(maxTexture1DLayered), SAME(maxTexture2DLayered);
  SAME(maxTextureCubemapLayered), SAME(maxSurface1D), SAME(maxSurface2D), SAME(maxSurface3D), SAME(maxSurface1DLayered);
  SAME(maxSurface2DLayered), SAME(maxSurfaceCubemap), SAME(maxSurfaceCubemapLayered), SAME(surfaceAlignment);
  SAME(concurrentKernels), SAME(ECCEnabled), SAME(pciBusID), SAME(pciDeviceID), SAME(pciDomainID), SAME(tccDriver);
  SAME(asyncEngineCount), SAME(unifiedAddressing), SAME(memoryBusWidth), SAME(l2CacheSize),
      SAME(persistingL2CacheMaxSize);
  SAME(maxThreadsPerMultiProcessor), SAME(streamPrioritiesSupported), SAME(globalL1CacheSupported);
  SAME(localL1CacheSupported), SAME(sharedMemPerMultiprocessor), SAME(regsPerMultiprocessor), SAME(managedMemory);
  SAME(isMultiGpuBoard), SAME(multiGpuBoardGroupID), SAME(hostNativeAtomicSupported), SAME(pageableMemoryAccess);
  SAME(concurrentManagedAccess), SAME(computePreemptionSupported), SAME(canUseHostPointerForRegisteredMem);
  SAME(cooperativeLaunch), SAME(sharedMemPerBlockOptin), SAME(pageableMemoryAccessUsesHostPageTables);
  SAME(directManagedMemAccessFromHost), SAME(maxBlocksPerMultiProcessor), SAME(accessPolicyMaxWindowSize);
  SAME(reservedSharedMemPerBlock), SAME(hostRegisterSupported), SAME(sparseCudaArraySupported);
  SAME(hostRegisterReadOnlySupported), SAME(timelineSemaphoreInteropSupported), SAME(memoryPoolsSupported);
  SAME(gpuDirectRDMASupported), SAME(gpuDirectRDMAFlushWritesOptions), SAME(gpuDirectRDMAWritesOrdering);
  SAME(memoryPoolSupportedHandleTypes), SAME(deferredMappingCudaArraySupported), SAME(ipcEventSupported);
  SAME(clusterLaunch), SAME(unifiedFunctionPointers);
#undef SAME
  // What CUDA 13 tells only as attributes.
  out.clockRate = attribute(cudaDevAttrClockRate, device);
  out.memoryClockRate = attribute(cudaDevAttrMemoryClockRate, device);
  out.computeMode = attribute(cudaDevAttrComputeMode, device);
  out.kernelExecTimeoutEnabled = attribute(cudaDevAttrKernelExecTimeout, device);
  out.maxTexture1DLinear = attribute(cudaDevAttrMaxTexture1DLinearWidth, device);
  out.singleToDoublePrecisionPerfRatio = attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio, device);
  out.deviceOverlap = out.asyncEngineCount > 0;
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t compat12_cudaGetDeviceProperties_v2(DeviceProp12* properties, int device) {
  return properties ? fill(*properties, device) : cudaErrorInvalidValue;
}

// What programs built with CUDA 11 ask for: a shorter struct.
cudaError_t compat12_cudaGetDeviceProperties(void* properties, int device) {
  if (!properties) return cudaErrorInvalidValue;
  DeviceProp12 all;
  const cudaError_t result = fill(all, device);
  if (result == cudaSuccess) std::memcpy(properties, &all, offsetof(DeviceProp12, hostRegisterSupported));
  return result;
}

}  // extern "C"
