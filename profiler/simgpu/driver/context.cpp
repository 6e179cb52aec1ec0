// Driver API: devices and contexts.
#include <atomic>
#include <cstring>
#include <mutex>

#include "driver_behaviours.h"
#include "profiler/base/late_local.h"
#include "profiler/simgpu/core/attributes.h"
#include "profiler/simgpu/core/device_state.h"
#include "profiler/simgpu/core/streams.h"
#include "profiler/simgpu/core/wait.h"
#include "profiler/simgpu/driver/support.h"

using namespace zerostall::simgpu;

namespace {

bool known(int device) { return device >= 0 && device < device_count(); }

CUcontext handle(Context* context) { return reinterpret_cast<CUcontext>(context); }

std::mutex g_references;  // of primary contexts

std::vector<Context*>& stack() {  // contexts below the current one
  return zerostall::late_local<std::vector<Context*>>();
}

CUresult push(Context* context) {
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  stack().push_back(current_context());
  set_current_context(context);
  return CUDA_SUCCESS;
}

CUresult create(CUcontext* out, unsigned flags, int device) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!known(device)) return CUDA_ERROR_INVALID_DEVICE;
  Context* context = create_context(device, flags);
  *out = handle(context);
  return push(context);
}

CUresult text_out(char* out, int length, const std::string& text) {
  if (!out || length <= 0) return CUDA_ERROR_INVALID_VALUE;
  const std::size_t n = std::min(text.size(), static_cast<std::size_t>(length) - 1);
  std::memcpy(out, text.data(), n);
  out[n] = 0;
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult sim_cuDeviceGetCount(int* count) {
  if (!count) return CUDA_ERROR_INVALID_VALUE;
  *count = device_count();
  return CUDA_SUCCESS;
}
CUresult sim_cuDeviceGet(CUdevice* device, int ordinal) {
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  if (!known(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}
CUresult sim_cuDeviceGetName(char* name, int length, CUdevice device) {
  if (!known(device)) return CUDA_ERROR_INVALID_DEVICE;
  return text_out(name, length, simulator().model.name);
}
CUresult sim_cuDeviceTotalMem_v2(size_t* bytes, CUdevice device) {
  if (!bytes) return CUDA_ERROR_INVALID_VALUE;
  if (!known(device)) return CUDA_ERROR_INVALID_DEVICE;
  *bytes = static_cast<std::size_t>(simulator().model.memory_bytes);
  return CUDA_SUCCESS;
}
CUresult sim_cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  if (!value || !known_attribute(attribute)) return CUDA_ERROR_INVALID_VALUE;
  if (!known(device)) return CUDA_ERROR_INVALID_DEVICE;
  *value = device_attribute(attribute, device);
  return CUDA_SUCCESS;
}
CUresult sim_cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  if (!major || !minor) return CUDA_ERROR_INVALID_VALUE;
  if (!known(device)) return CUDA_ERROR_INVALID_DEVICE;
  *major = static_cast<int>(simulator().model.compute_major);
  *minor = static_cast<int>(simulator().model.compute_minor);
  return CUDA_SUCCESS;
}
CUresult sim_cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  if (!uuid) return CUDA_ERROR_INVALID_VALUE;
  if (!known(device)) return CUDA_ERROR_INVALID_DEVICE;
  std::memcpy(uuid->bytes, device_identity(device).uuid.data(), sizeof uuid->bytes);
  return CUDA_SUCCESS;
}
CUresult sim_cuDeviceGetUuid(CUuuid* uuid, CUdevice device) { return sim_cuDeviceGetUuid_v2(uuid, device); }
CUresult sim_cuDeviceGetPCIBusId(char* id, int length, CUdevice device) {
  if (!known(device)) return CUDA_ERROR_INVALID_DEVICE;
  return text_out(id, length, pci_bus_id(device));
}
CUresult sim_cuDeviceGetByPCIBusId(CUdevice* device, const char* id) {
  if (!device || !id) return CUDA_ERROR_INVALID_VALUE;
  *device = device_by_pci_bus_id(id);
  return *device < 0 ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}
CUresult sim_cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  return status(can_access_peer(can, device, peer));
}

CUresult sim_cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  if (!flags || !active) return CUDA_ERROR_INVALID_VALUE;
  if (!known(device)) return CUDA_ERROR_INVALID_DEVICE;
  *flags = primary_context(device)->flags;
  *active = std::atomic_ref<bool>(primary_context(device)->active);
  return CUDA_SUCCESS;
}
CUresult sim_cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  if (!known(device)) return CUDA_ERROR_INVALID_DEVICE;
  Context* primary = primary_context(device);
  std::lock_guard guard(g_references);
  ++primary->references;
  std::atomic_ref<bool>(primary->active) = true;
  *context = handle(primary);
  return CUDA_SUCCESS;
}
CUresult sim_cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  if (!known(device)) return CUDA_ERROR_INVALID_DEVICE;
  Context* primary = primary_context(device);
  std::lock_guard guard(g_references);
  if (primary->references == 0) return CUDA_ERROR_INVALID_CONTEXT;
  if (--primary->references == 0 && current_context() != primary) std::atomic_ref<bool>(primary->active) = false;
  return CUDA_SUCCESS;
}
CUresult sim_cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  if (!known(device)) return CUDA_ERROR_INVALID_DEVICE;
  primary_context(device)->flags = flags;
  return CUDA_SUCCESS;
}
CUresult sim_cuDevicePrimaryCtxReset_v2(CUdevice device) {
  if (!known(device)) return CUDA_ERROR_INVALID_DEVICE;
  if (const cudaError_t error = reset_device(device)) return status(error);
  primary_context(device)->active = false;
  return CUDA_SUCCESS;
}

CUresult sim_cuCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice device) {
  return create(context, flags, device);
}
CUresult sim_cuCtxCreate_v4(CUcontext* context, CUctxCreateParams* params, unsigned flags, CUdevice device) {
  if (params && (params->execAffinityParams || params->cigParams)) return CUDA_ERROR_NOT_SUPPORTED;
  return create(context, flags, device);
}
CUresult sim_cuCtxDestroy_v2(CUcontext context) {
  const Context* known_context = context_from(context);
  if (!known_context) return CUDA_ERROR_INVALID_CONTEXT;
  const bool current = known_context == current_context();
  if (!destroy_context(context_from(context))) return CUDA_ERROR_INVALID_CONTEXT;
  if (current && !stack().empty()) {
    set_current_context(stack().back());
    stack().pop_back();
  }
  return CUDA_SUCCESS;
}
CUresult sim_cuCtxPushCurrent_v2(CUcontext context) { return push(context_from(context)); }
CUresult sim_cuCtxPopCurrent_v2(CUcontext* context) {
  if (!current_context()) return CUDA_ERROR_INVALID_CONTEXT;
  if (context) *context = handle(current_context());
  Context* below = stack().empty() ? nullptr : stack().back();
  if (!stack().empty()) stack().pop_back();
  set_current_context(below);
  return CUDA_SUCCESS;
}
CUresult sim_cuCtxGetCurrent(CUcontext* context) {
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  *context = handle(current_context());
  return CUDA_SUCCESS;
}
CUresult sim_cuCtxSetCurrent(CUcontext context) {
  Context* found = context ? context_from(context) : nullptr;
  if (context && !found) return CUDA_ERROR_INVALID_CONTEXT;
  if (found) found->active = true;
  set_current_context(found);
  return CUDA_SUCCESS;
}
CUresult sim_cuCtxGetDevice(CUdevice* device) {
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  if (!current_context()) return CUDA_ERROR_INVALID_CONTEXT;
  *device = current_device();
  return CUDA_SUCCESS;
}
CUresult sim_cuCtxGetDevice_v2(CUdevice* device, CUcontext context) {
  if (!context) return sim_cuCtxGetDevice(device);
  const Context* found = context_from(context);
  if (!device || !found) return CUDA_ERROR_INVALID_VALUE;
  *device = found->device;
  return CUDA_SUCCESS;
}
CUresult sim_cuCtxGetFlags(unsigned* flags) {
  if (!flags) return CUDA_ERROR_INVALID_VALUE;
  if (!current_context()) return CUDA_ERROR_INVALID_CONTEXT;
  *flags = current_context()->flags;
  return CUDA_SUCCESS;
}
CUresult sim_cuCtxGetId(CUcontext context, unsigned long long* id) {
  const Context* found = context ? context_from(context) : current_context();
  if (!id) return CUDA_ERROR_INVALID_VALUE;
  if (!found) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  *id = found->id;
  return CUDA_SUCCESS;
}
CUresult sim_cuCtxGetApiVersion(CUcontext, unsigned* version) {
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  *version = 3020;
  return CUDA_SUCCESS;
}
CUresult sim_cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  if (least) *least = kLeastPriority;
  if (greatest) *greatest = kGreatestPriority;
  return CUDA_SUCCESS;
}
CUresult sim_cuCtxGetLimit(size_t* value, CUlimit limit) { return status(get_limit(value, limit)); }
CUresult sim_cuCtxSetLimit(CUlimit limit, size_t value) { return status(set_limit(limit, value)); }
CUresult sim_cuCtxGetCacheConfig(CUfunc_cache* config) {
  if (!config) return CUDA_ERROR_INVALID_VALUE;
  *config = CU_FUNC_CACHE_PREFER_NONE;
  return CUDA_SUCCESS;
}
CUresult sim_cuCtxSetCacheConfig(CUfunc_cache) { return CUDA_SUCCESS; }
CUresult sim_cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  const Context* found = context_from(peer);
  if (!found) return CUDA_ERROR_INVALID_CONTEXT;
  return flags ? CUDA_ERROR_INVALID_VALUE : status(enable_peer(found->device));
}
CUresult sim_cuCtxDisablePeerAccess(CUcontext peer) {
  const Context* found = context_from(peer);
  return found ? status(disable_peer(found->device)) : CUDA_ERROR_INVALID_CONTEXT;
}
CUresult sim_cuCtxSynchronize() { return current_context() ? status(wait_device()) : CUDA_ERROR_INVALID_CONTEXT; }

}  // extern "C"
