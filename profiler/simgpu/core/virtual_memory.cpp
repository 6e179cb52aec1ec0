#include "profiler/simgpu/core/virtual_memory.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <map>
#include <mutex>

#include "profiler/simgpu/core/pools.h"
#include "profiler/simgpu/core/simulator.h"

namespace zerostall::simgpu {
namespace {

struct PhysicalMemory {
  std::mutex lock;
  std::map<std::uint64_t, Physical> all;
  std::map<ino_t, std::uint64_t> exported;  // by inode of the file that stands for it
  std::uint64_t next = 1;
};

PhysicalMemory& physical_memory() {
  static PhysicalMemory* instance = new PhysicalMemory;
  return *instance;
}

const void* owner_of(std::uint64_t handle) { return reinterpret_cast<const void*>(handle); }

// Caller holds the lock.
void drop_if_unused(PhysicalMemory& p, std::uint64_t handle) {
  const auto it = p.all.find(handle);
  if (it == p.all.end() || it->second.references || it->second.mappings) return;
  simulator().memory.discharge(it->second.device, it->second.bytes);
  p.all.erase(it);
}

}  // namespace

cudaError_t create_physical(std::uint64_t* handle, std::size_t bytes, int device, unsigned handle_types) {
  if (bytes == 0 || bytes % kMappingGranularity) return cudaErrorInvalidValue;
  release_unused(device);
  if (!simulator().memory.charge(device, bytes)) return cudaErrorMemoryAllocation;
  PhysicalMemory& p = physical_memory();
  std::lock_guard guard(p.lock);
  *handle = p.next++;
  p.all[*handle] = {bytes, device, handle_types, 1, 0};
  return cudaSuccess;
}

cudaError_t retain_physical(std::uint64_t handle) {
  PhysicalMemory& p = physical_memory();
  std::lock_guard guard(p.lock);
  const auto it = p.all.find(handle);
  if (it == p.all.end()) return cudaErrorInvalidValue;
  ++it->second.references;
  return cudaSuccess;
}

cudaError_t release_physical(std::uint64_t handle) {
  PhysicalMemory& p = physical_memory();
  std::lock_guard guard(p.lock);
  const auto it = p.all.find(handle);
  if (it == p.all.end() || it->second.references == 0) return cudaErrorInvalidValue;
  --it->second.references;
  drop_if_unused(p, handle);
  return cudaSuccess;
}

bool find_physical(std::uint64_t handle, Physical* found) {
  PhysicalMemory& p = physical_memory();
  std::lock_guard guard(p.lock);
  const auto it = p.all.find(handle);
  if (it == p.all.end()) return false;
  *found = it->second;
  return true;
}

cudaError_t map_physical(void* address, std::size_t bytes, std::size_t offset, std::uint64_t handle) {
  PhysicalMemory& p = physical_memory();
  std::lock_guard guard(p.lock);
  const auto it = p.all.find(handle);
  // An offset is documented as unsupported: it must be 0. A handle is mapped as a whole.
  if (it == p.all.end() || it->second.references == 0 || offset != 0 || bytes != it->second.bytes)
    return cudaErrorInvalidValue;
  if (!simulator().memory.map(address, bytes, it->second.device, owner_of(handle))) return cudaErrorInvalidValue;
  ++it->second.mappings;
  return cudaSuccess;
}

cudaError_t unmap_physical(void* address, std::size_t bytes) {
  PhysicalMemory& p = physical_memory();
  std::lock_guard guard(p.lock);
  const auto blocks = simulator().memory.unmap(address, bytes);
  if (blocks.empty()) return cudaErrorInvalidValue;
  for (const auto& block : blocks) {
    const auto handle = reinterpret_cast<std::uint64_t>(block.owner);
    --p.all.at(handle).mappings;
    drop_if_unused(p, handle);
  }
  return cudaSuccess;
}

std::uint64_t physical_at(const void* address) {
  const MemoryMap::Block block = simulator().memory.find(address);
  return block.origin == Origin::mapped ? reinterpret_cast<std::uint64_t>(block.owner) : 0;
}

cudaError_t export_physical(std::uint64_t handle, int* descriptor) {
  PhysicalMemory& p = physical_memory();
  std::lock_guard guard(p.lock);
  constexpr unsigned kPosixDescriptor = 1;
  const auto it = p.all.find(handle);
  if (it == p.all.end() || !(it->second.handle_types & kPosixDescriptor)) return cudaErrorInvalidValue;
  const int file = memfd_create("simulated device memory", MFD_CLOEXEC);
  struct stat about {};
  if (file < 0 || fstat(file, &about) != 0) return cudaErrorOperatingSystem;
  p.exported[about.st_ino] = handle;
  *descriptor = file;
  return cudaSuccess;
}

cudaError_t import_physical(std::uint64_t* handle, int descriptor) {
  PhysicalMemory& p = physical_memory();
  std::lock_guard guard(p.lock);
  struct stat about {};
  if (fstat(descriptor, &about) != 0) return cudaErrorInvalidValue;
  const auto exported = p.exported.find(about.st_ino);
  if (exported == p.exported.end()) return cudaErrorInvalidValue;
  const auto it = p.all.find(exported->second);
  if (it == p.all.end()) return cudaErrorInvalidValue;
  ++it->second.references;
  *handle = it->first;
  return cudaSuccess;
}

}  // namespace zerostall::simgpu
