#include "profiler/simgpu/core/functions.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "profiler/base/late_local.h"
#include "profiler/simgpu/core/attributes.h"
#include "profiler/simgpu/core/fat_binary.h"
#include "profiler/simgpu/core/simulator.h"

namespace zerostall::simgpu {

struct Module {
  std::map<std::string, Function*> functions;
};

namespace {

struct Registry {
  std::shared_mutex lock;
  std::deque<Function> functions;  // addresses stay
  std::deque<std::string> names;
  std::unordered_map<const void*, Function*> by_handle;  // stubs and the functions themselves
  std::unordered_map<const void*, std::unique_ptr<Module>> modules;
};
Registry& registry() {
  static Registry* instance = new Registry;
  return *instance;
}

// Caller holds the lock for writing.
Function* make(const char* name, Module* module) {
  Registry& r = registry();
  Function& f = r.functions.emplace_back();
  f.name = name;
  f.module = module;
  r.by_handle[&f] = &f;
  return &f;
}

int round_up(int value, int unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

void lock_functions() { registry().lock.lock_shared(); }
void unlock_functions() { registry().lock.unlock_shared(); }
void renew_functions_lock() {
  unlock_functions();  // other readers' shares are still in it
  new (&registry().lock) std::shared_mutex;
}

Function* function_of(const void* handle) {
  // A launch asks for the same few kernels over and over; functions are never freed, so a thread may remember them.
  struct Entry {
    const void* handle = nullptr;
    Function* function = nullptr;
  };
  auto& recent = late_local<std::array<Entry, 256>>();
  Entry& entry = recent[(reinterpret_cast<std::uintptr_t>(handle) >> 4) % recent.size()];
  if (entry.handle == handle && entry.function) return entry.function;
  Registry& r = registry();
  std::shared_lock guard(r.lock);
  const auto it = r.by_handle.find(handle);
  if (it == r.by_handle.end()) return nullptr;
  entry = {handle, it->second};
  return it->second;
}

void register_kernel(const void* host_function, const char* name, FatBinary* binary) {
  Registry& r = registry();
  std::unique_lock guard(r.lock);
  Function*& function = r.by_handle[host_function];
  if (!function) {
    function = make(name, nullptr);
    function->binary = binary;
    return;
  }
  function->name = name;  // the address was used by a library that has been unloaded
  function->binary = binary;
  function->block_ns = -1;
  function->output = Function::kOutputNotLookedUp;
}

bool runs_on_device(const Function& function) { return !function.binary || compiled_for(*function.binary).ptx != 0; }

const char* kernel_name(const void* handle) {
  const Function* function = function_of(handle);
  return function ? function->name : "unknown kernel";
}

Module* load_module() {
  Registry& r = registry();
  auto module = std::make_unique<Module>();
  Module* raw = module.get();
  std::unique_lock guard(r.lock);
  r.modules[raw] = std::move(module);
  return raw;
}

Module* module_from(const void* handle) {
  Registry& r = registry();
  std::shared_lock guard(r.lock);
  const auto it = r.modules.find(handle);
  return it == r.modules.end() ? nullptr : it->second.get();
}

bool unload_module(const void* handle) {
  Registry& r = registry();
  std::unique_lock guard(r.lock);
  return r.modules.erase(handle) != 0;
}

Function* module_function(Module& module, const char* name) {
  Registry& r = registry();
  std::unique_lock guard(r.lock);
  Function*& function = module.functions[name];
  if (!function) function = make(r.names.emplace_back(name).c_str(), &module);
  return function;
}

std::size_t function_count(const Module& module) {
  std::shared_lock guard(registry().lock);
  return module.functions.size();
}

std::size_t list_functions(const Module& module, void** functions, std::size_t room) {
  std::shared_lock guard(registry().lock);
  std::size_t n = 0;
  for (const auto& [name, function] : module.functions)
    if (n < room) functions[n++] = function;
  return n;
}

cudaError_t function_attributes(const void* handle, cudaFuncAttributes* attributes) {
  if (!attributes) return cudaErrorInvalidValue;
  const Function* function = function_of(handle);
  if (!function) return cudaErrorInvalidDeviceFunction;
  const DeviceModel& m = simulator().model;
  const int device = static_cast<int>(m.compute_major * 10 + m.compute_minor);
  const CompiledFor code = function->binary ? compiled_for(*function->binary) : CompiledFor{device, device};
  if (code.ptx == 0) return cudaErrorNoKernelImageForDevice;
  *attributes = {};
  attributes->maxThreadsPerBlock = kMaxThreads;
  attributes->numRegs = kRegistersPerThread;
  attributes->ptxVersion = code.ptx;
  attributes->binaryVersion = code.binary;
  attributes->maxDynamicSharedSizeBytes = function->max_dynamic_shared;
  attributes->preferredShmemCarveout = function->carveout;
  return cudaSuccess;
}

cudaError_t set_function_attribute(const void* handle, int attribute, int value) {
  Function* function = function_of(handle);
  if (!function) return cudaErrorInvalidDeviceFunction;
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      if (value < 0 || value > simulator().model.shared_optin_bytes) return cudaErrorInvalidValue;
      function->max_dynamic_shared = value;
      return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      if (value < -1 || value > 100) return cudaErrorInvalidValue;
      function->carveout = value;
      return cudaSuccess;
    case cudaFuncAttributeClusterDimMustBeSet:
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
      return cudaSuccess;  // hints about placement, which is not modelled
    default:
      return cudaErrorInvalidValue;
  }
}

int active_blocks(int block_size, std::size_t dynamic_shared) {
  const DeviceModel& m = simulator().model;
  if (block_size <= 0 || block_size > kMaxThreads || static_cast<std::int64_t>(dynamic_shared) > m.shared_optin_bytes)
    return 0;
  const int threads = round_up(block_size, kWarp);
  const auto by_shared = static_cast<int>(m.shared_per_sm_bytes / (static_cast<std::int64_t>(dynamic_shared) + 1024));
  return std::min({static_cast<int>(m.blocks_per_sm), static_cast<int>(m.threads_per_sm) / threads,
                   kRegisters / (kRegistersPerThread * threads), by_shared});
}

int active_clusters(unsigned cluster_blocks, int block_size, std::size_t dynamic_shared) {
  if (cluster_blocks == 0) return 0;
  const auto blocks = active_blocks(block_size, dynamic_shared) * simulator().model.sm_count;
  return static_cast<int>(blocks / static_cast<std::int64_t>(cluster_blocks));
}

std::size_t available_shared(int blocks, int block_size) {
  const DeviceModel& m = simulator().model;
  if (blocks <= 0 || active_blocks(block_size, 0) < blocks) return 0;
  return static_cast<std::size_t>(
      std::clamp<std::int64_t>(m.shared_per_sm_bytes / blocks - 1024, 0, m.shared_optin_bytes));
}

}  // namespace zerostall::simgpu
