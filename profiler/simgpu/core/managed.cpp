#include "profiler/simgpu/core/managed.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "profiler/simgpu/core/submit.h"

namespace zerostall::simgpu {
namespace {

constexpr int kHostNumber = -1, kNowhereNumber = -2;  // cudaCpuDeviceId, cudaInvalidDeviceId

// By allocation: hints for a part of one are kept for the whole.
struct Hints {
  bool read_mostly = false;
  Location preferred{}, prefetched{};  // type 0: none
  std::set<int> accessed_by;
};

struct ManagedState {
  std::mutex lock;
  std::map<std::uint64_t, Hints> by_block;  // id
};

ManagedState& managed() {
  static ManagedState* instance = new ManagedState;
  return *instance;
}

bool is_managed(const void* pointer, std::size_t bytes, std::uint64_t* id) {
  const MemoryMap& memory = simulator().memory;
  const MemoryMap::Block block = memory.find(pointer);
  *id = block.id;
  return bytes && block.kind == MemoryKind::managed && memory.covers(pointer, bytes);
}

bool valid(Location l) {
  switch (l.type) {
    case cudaMemLocationTypeDevice:
      return l.id >= 0 && l.id < device_count();
    case cudaMemLocationTypeHost:
    case cudaMemLocationTypeHostNuma:
    case cudaMemLocationTypeHostNumaCurrent:
      return true;
    default:
      return false;
  }
}

int number_of(Location l) {
  if (l.type == cudaMemLocationTypeInvalid) return kNowhereNumber;
  return l.type == cudaMemLocationTypeDevice ? l.id : kHostNumber;
}

}  // namespace

Location location_of_device(int device) {
  return device == kHostNumber ? Location{cudaMemLocationTypeHost, 0} : Location{cudaMemLocationTypeDevice, device};
}

cudaError_t advise(const void* pointer, std::size_t bytes, int advice, Location location) {
  std::uint64_t id = 0;
  if (!is_managed(pointer, bytes, &id)) return cudaErrorInvalidValue;
  const bool needs_place = advice == cudaMemAdviseSetPreferredLocation || advice == cudaMemAdviseSetAccessedBy ||
                           advice == cudaMemAdviseUnsetAccessedBy;
  if (needs_place && !valid(location)) return cudaErrorInvalidDevice;
  ManagedState& m = managed();
  std::lock_guard guard(m.lock);
  Hints& hints = m.by_block[id];
  switch (advice) {
    case cudaMemAdviseSetReadMostly:
    case cudaMemAdviseUnsetReadMostly:
      hints.read_mostly = advice == cudaMemAdviseSetReadMostly;
      return cudaSuccess;
    case cudaMemAdviseSetPreferredLocation:
      hints.preferred = location;
      return cudaSuccess;
    case cudaMemAdviseUnsetPreferredLocation:
      hints.preferred = {};
      return cudaSuccess;
    case cudaMemAdviseSetAccessedBy:
      hints.accessed_by.insert(number_of(location));
      return cudaSuccess;
    case cudaMemAdviseUnsetAccessedBy:
      hints.accessed_by.erase(number_of(location));
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
}

cudaError_t prefetch(const void* pointer, std::size_t bytes, Location location, const void* stream) {
  std::uint64_t id = 0;
  if (!is_managed(pointer, bytes, &id)) return cudaErrorInvalidValue;
  if (!valid(location)) return cudaErrorInvalidDevice;
  const DeviceModel& m = simulator().model;
  Operation o{};
  o.kind = OperationKind::empty;
  o.engine = location.type == cudaMemLocationTypeDevice ? Engine::upload : Engine::download;
  o.duration_ns = m.copy_latency_ns + static_cast<std::int64_t>(bytes) * 1000 / m.pinned_bytes_per_us;
  o.latency_ns = m.copy_latency_ns;
  o.host.call_ns = m.copy_call_ns;
  if (const cudaError_t error = submit(stream, std::move(o))) return error;
  ManagedState& state = managed();
  std::lock_guard guard(state.lock);
  state.by_block[id].prefetched = location;
  return cudaSuccess;
}

cudaError_t range_attribute(void* data, std::size_t data_bytes, int attribute, const void* pointer, std::size_t bytes) {
  std::uint64_t id = 0;
  if (!data || data_bytes < sizeof(int) || data_bytes % sizeof(int) || !is_managed(pointer, bytes, &id))
    return cudaErrorInvalidValue;
  ManagedState& m = managed();
  std::lock_guard guard(m.lock);
  const Hints& hints = m.by_block[id];
  int* out = static_cast<int*>(data);
  if (attribute == cudaMemRangeAttributeAccessedBy) {
    auto it = hints.accessed_by.begin();
    for (std::size_t i = 0; i < data_bytes / sizeof(int); ++i)
      out[i] = it == hints.accessed_by.end() ? kNowhereNumber : *it++;
    return cudaSuccess;
  }
  const int answers[] = {0,
                         hints.read_mostly,
                         number_of(hints.preferred),
                         0,
                         number_of(hints.prefetched),
                         hints.preferred.type,
                         hints.preferred.id,
                         hints.prefetched.type,
                         hints.prefetched.id};
  if (data_bytes != sizeof(int) || attribute < 1 || attribute > 8) return cudaErrorInvalidValue;
  *out = answers[attribute];
  return cudaSuccess;
}

}  // namespace zerostall::simgpu
