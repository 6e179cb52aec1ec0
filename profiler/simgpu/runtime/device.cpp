// Versions, attributes, errors.
#include <cstdio>
#include <cstring>

#include "profiler/simgpu/core/attributes.h"
#include "profiler/simgpu/core/errors.h"
#include "profiler/simgpu/core/hooks.h"
#include "profiler/simgpu/runtime/support.h"
#include "runtime_behaviours.h"

using namespace zerostall::simgpu;

namespace zerostall::simgpu {
thread_local cudaError_t t_last_error = cudaSuccess;
}

namespace {

constexpr int kVersion = 13000;

bool known_device(int device) { return device >= 0 && device < device_count(); }

}  // namespace

extern "C" {

__attribute__((visibility("default"))) const char* cudaGetErrorString(cudaError_t error) {
  const char* text = error_text(error);
  return text ? text : "unrecognized error code";
}
__attribute__((visibility("default"))) const char* cudaGetErrorName(cudaError_t error) {
  const char* name = runtime_error_name(error);
  return name ? name : "unrecognized error code";
}

cudaError_t sim_cudaDriverGetVersion(int* version) {
  if (!version) return cudaErrorInvalidValue;
  *version = kVersion;
  return cudaSuccess;
}
cudaError_t sim_cudaRuntimeGetVersion(int* version) { return sim_cudaDriverGetVersion(version); }
cudaError_t sim_cudaGetLastError() {
  const cudaError_t error = t_last_error;
  t_last_error = cudaSuccess;
  return error;
}
cudaError_t sim_cudaPeekAtLastError() { return t_last_error; }

cudaError_t sim_cudaDeviceGetAttribute(int* value, cudaDeviceAttr attr, int device) {
  if (!value) return cudaErrorInvalidValue;
  if (!known_device(device)) return cudaErrorInvalidDevice;
  *value = device_attribute(attr);
  return cudaSuccess;
}

cudaError_t sim_cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  if (!p) return cudaErrorInvalidValue;
  if (!known_device(device)) return cudaErrorInvalidDevice;
  const DeviceModel& m = simulator().model;
  std::memset(p, 0, sizeof *p);
  std::snprintf(p->name, sizeof p->name, "%s", m.name.c_str());
  const DeviceIdentity identity = device_identity(device);
  std::memcpy(p->uuid.bytes, identity.uuid.data(), sizeof p->uuid.bytes);
  p->pciDomainID = static_cast<int>(identity.pci_domain);
  p->pciBusID = static_cast<int>(identity.pci_bus);
  p->pciDeviceID = static_cast<int>(identity.pci_device);
  p->totalGlobalMem = static_cast<std::size_t>(m.memory_bytes);
  p->sharedMemPerBlock = 49152;
  p->regsPerBlock = p->regsPerMultiprocessor = kRegisters;
  p->warpSize = kWarp;
  p->maxThreadsPerBlock = p->maxThreadsDim[0] = p->maxThreadsDim[1] = kMaxThreads;
  p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = kMaxGridX;
  p->maxGridSize[1] = p->maxGridSize[2] = kMaxGrid;
  p->totalConstMem = 65536;
  p->major = static_cast<int>(m.compute_major);
  p->minor = static_cast<int>(m.compute_minor);
  p->textureAlignment = 512;
  p->multiProcessorCount = static_cast<int>(m.sm_count);
  p->canMapHostMemory = p->concurrentKernels = p->unifiedAddressing = p->managedMemory = p->cooperativeLaunch = 1;
  p->streamPrioritiesSupported = p->hostRegisterSupported = 1;
  p->asyncEngineCount = 3;
  p->memoryBusWidth = static_cast<int>(m.memory_bus_bits);
  p->l2CacheSize = static_cast<int>(m.l2_bytes);
  p->maxThreadsPerMultiProcessor = static_cast<int>(m.threads_per_sm);
  p->sharedMemPerMultiprocessor = static_cast<std::size_t>(m.shared_per_sm_bytes);
  p->sharedMemPerBlockOptin = static_cast<std::size_t>(m.shared_optin_bytes);
  p->reservedSharedMemPerBlock = 1024;
  p->maxBlocksPerMultiProcessor = static_cast<int>(m.blocks_per_sm);
  return cudaSuccess;
}

cudaError_t sim_cudaProfilerStart() { return cudaSuccess; }
cudaError_t sim_cudaProfilerStop() { return cudaSuccess; }

}  // extern "C"
