// Which devices there are and which one is current; what a program sets on them.
#include <cstdio>
#include <cstring>

#include "profiler/simgpu/core/device_state.h"
#include "profiler/simgpu/core/journal.h"
#include "profiler/simgpu/core/streams.h"
#include "profiler/simgpu/runtime/support.h"
#include "runtime_behaviours.h"

using namespace zerostall::simgpu;

namespace {

bool known(int device) { return device >= 0 && device < device_count(); }

constexpr unsigned kKnownFlags =
    cudaDeviceScheduleMask | cudaDeviceMapHost | cudaDeviceLmemResizeToMax | cudaDeviceSyncMemops;

}  // namespace

extern "C" {

cudaError_t sim_cudaGetDeviceCount(int* count) {
  if (!count) return cudaErrorInvalidValue;
  *count = device_count();
  return *count ? cudaSuccess : cudaErrorNoDevice;
}
cudaError_t sim_cudaGetDevice(int* device) {
  if (!device) return cudaErrorInvalidValue;
  *device = current_device();
  return cudaSuccess;
}
cudaError_t sim_cudaSetDevice(int device) {
  if (device_count() == 0) return cudaErrorNoDevice;
  if (set_current_device(device)) return cudaSuccess;
  if (device >= 0) report_missing_device(device, device_count());
  return cudaErrorInvalidDevice;
}
cudaError_t sim_cudaInitDevice(int device, unsigned device_flags, unsigned flags) {
  if (!known(device)) return cudaErrorInvalidDevice;
  if (flags & ~static_cast<unsigned>(cudaInitDeviceFlagsAreValid)) return cudaErrorInvalidValue;
  Context* context = primary_context(device);
  context->active = true;
  if (flags & cudaInitDeviceFlagsAreValid) context->flags = device_flags & ~static_cast<unsigned>(cudaDeviceMapHost);
  return cudaSuccess;
}
cudaError_t sim_cudaSetValidDevices(int* devices, int count) {
  if (count < 0 || (count && !devices)) return cudaErrorInvalidValue;
  for (int i = 0; i < count; ++i)
    if (!known(devices[i])) return cudaErrorInvalidDevice;
  return cudaSuccess;  // only a hint for threads that never call cudaSetDevice
}
cudaError_t sim_cudaChooseDevice(int* device, const cudaDeviceProp* properties) {
  if (!device || !properties) return cudaErrorInvalidValue;
  if (device_count() == 0) return cudaErrorNoDevice;
  *device = 0;  // devices are alike: the first fits best
  return cudaSuccess;
}
cudaError_t sim_cudaDeviceReset() {
  ensure_context();
  if (!current_context()) return cudaErrorNoDevice;
  const int device = current_device();
  if (const cudaError_t error = reset_device(device)) return error;
  Context* context = primary_context(device);
  context->active = false;
  context->flags = 0;
  context->peers = 0;
  set_current_context(nullptr);
  return cudaSuccess;
}
cudaError_t sim_cudaThreadExit() { return sim_cudaDeviceReset(); }

cudaError_t sim_cudaGetDeviceFlags(unsigned* flags) {
  if (!flags) return cudaErrorInvalidValue;
  if (device_count() == 0) return cudaErrorNoDevice;
  *flags = primary_context(current_device())->flags | cudaDeviceMapHost;  // implicit for the runtime
  return cudaSuccess;
}
cudaError_t sim_cudaSetDeviceFlags(unsigned flags) {
  const unsigned schedule = flags & cudaDeviceScheduleMask;
  const bool one = (schedule & (schedule - 1)) == 0;
  if ((flags & ~kKnownFlags) || !one) return cudaErrorInvalidValue;
  if (device_count() == 0) return cudaErrorNoDevice;
  primary_context(current_device())->flags = flags & ~static_cast<unsigned>(cudaDeviceMapHost);
  return cudaSuccess;
}
cudaError_t sim_cudaDeviceGetLimit(size_t* value, cudaLimit limit) { return get_limit(value, limit); }
cudaError_t sim_cudaDeviceSetLimit(cudaLimit limit, size_t value) { return set_limit(limit, value); }
cudaError_t sim_cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  if (!config) return cudaErrorInvalidValue;
  *config = cudaFuncCachePreferNone;  // devices without a choice ignore the setting
  return cudaSuccess;
}
cudaError_t sim_cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t sim_cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  if (!config) return cudaErrorInvalidValue;
  *config = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}
cudaError_t sim_cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }

cudaError_t sim_cudaDeviceCanAccessPeer(int* can, int device, int peer) { return can_access_peer(can, device, peer); }
cudaError_t sim_cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return flags ? cudaErrorInvalidValue : enable_peer(peer);
}
cudaError_t sim_cudaDeviceDisablePeerAccess(int peer) { return disable_peer(peer); }
cudaError_t sim_cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int device, int peer) {
  if (!value) return cudaErrorInvalidValue;
  if (!known(device) || !known(peer) || device == peer) return cudaErrorInvalidDevice;
  switch (attribute) {
    case cudaDevP2PAttrAccessSupported:
    case cudaDevP2PAttrNativeAtomicSupported:
    case cudaDevP2PAttrCudaArrayAccessSupported:
      *value = 1;
      return cudaSuccess;
    case cudaDevP2PAttrPerformanceRank:
      *value = 0;
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
}

cudaError_t sim_cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least) *least = kLeastPriority;
  if (greatest) *greatest = kGreatestPriority;
  return cudaSuccess;
}
cudaError_t sim_cudaDeviceGetPCIBusId(char* id, int length, int device) {
  if (!id || length <= 0) return cudaErrorInvalidValue;
  if (!known(device)) return cudaErrorInvalidDevice;
  const std::string text = pci_bus_id(device);
  if (static_cast<std::size_t>(length) <= text.size()) return cudaErrorInvalidValue;
  std::memcpy(id, text.c_str(), text.size() + 1);
  return cudaSuccess;
}
cudaError_t sim_cudaDeviceGetByPCIBusId(int* device, const char* id) {
  if (!device || !id) return cudaErrorInvalidValue;
  const int found = device_by_pci_bus_id(id);
  if (found < 0) return cudaErrorInvalidDevice;
  *device = found;
  return cudaSuccess;
}

}  // extern "C"
