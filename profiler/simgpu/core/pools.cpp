#include "profiler/simgpu/core/pools.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "profiler/simgpu/core/address_space.h"
#include "profiler/simgpu/core/submit.h"

namespace zerostall::simgpu {

struct Pool {
  int device = 0;
  bool is_default = false, destroyed = false;
  std::size_t most = 0;
  std::uint64_t threshold = 0, used = 0, used_high = 0, reserved = 0, reserved_high = 0;
  int reuse[3] = {1, 1, 1};
  std::uint64_t waits_seen = 0;
  std::set<int> peers;
};

namespace {

constexpr std::size_t kUnit = 512, kChunk = std::size_t{32} << 20;  // sizes are counted so, memory is taken so

std::atomic<std::uint64_t> g_waits{0};

struct Pools {
  std::mutex lock;
  std::vector<std::unique_ptr<Pool>> all;  // never freed: blocks may outlive their pool
  std::map<int, Pool*> defaults, current;
};

Pools& pools() {
  static Pools* instance = new Pools;
  return *instance;
}

Pool* add_pool(Pools& p, int device) {
  p.all.push_back(std::make_unique<Pool>());
  p.all.back()->device = device;
  return p.all.back().get();
}

Pool* default_of(Pools& p, int device) {
  Pool*& pool = p.defaults[device];
  if (!pool) {
    pool = add_pool(p, device);
    pool->is_default = true;
  }
  return pool;
}

// Gives back all but `keep` bytes of what is not used.
void shrink(Pool& pool, std::uint64_t keep) {
  const std::uint64_t in_use = pool.used ? round_up(pool.used, kChunk) : 0;
  const std::uint64_t target = std::max(in_use, std::min(pool.reserved, keep));
  if (target >= pool.reserved) return;
  simulator().memory.discharge(pool.device, pool.reserved - target);
  pool.reserved = target;
}

void settle(Pool& pool) {
  const std::uint64_t waits = g_waits.load(std::memory_order_relaxed);
  if (pool.waits_seen == waits) return;
  pool.waits_seen = waits;
  shrink(pool, pool.threshold);
}

void settle_device(Pools& p, int device) {
  for (const auto& pool : p.all)
    if (pool->device == device) settle(*pool);
}

bool grow(Pools& p, Pool& pool, std::size_t bytes) {
  const std::uint64_t wanted = round_up(pool.used + bytes, kChunk);
  if (pool.most && pool.used + bytes > pool.most) return false;
  if (wanted > pool.reserved) {
    MemoryMap& memory = simulator().memory;
    const std::size_t more = wanted - pool.reserved;
    if (!memory.charge(pool.device, more)) {
      for (const auto& other : p.all)  // under pressure nothing unused is kept
        if (other->device == pool.device) shrink(*other, 0);
      return pool.reserved >= pool.used + bytes
                 ? true
                 : memory.charge(pool.device, wanted - pool.reserved) && (pool.reserved = wanted, true);
    }
    pool.reserved = wanted;
  }
  return true;
}

std::size_t counted(std::size_t bytes) { return round_up(bytes, kUnit); }

cudaError_t queue_nothing(const void* stream) {
  Operation o{};
  o.kind = OperationKind::empty;
  o.host.call_ns = simulator().model.event_ns;
  return submit(stream, std::move(o));
}

}  // namespace

Pool* default_pool(int device) {
  Pools& p = pools();
  std::lock_guard guard(p.lock);
  return default_of(p, device);
}

Pool* current_pool(int device) {
  Pools& p = pools();
  std::lock_guard guard(p.lock);
  Pool* pool = p.current[device];
  return pool ? pool : default_of(p, device);
}

void set_current_pool(int device, Pool* pool) {
  Pools& p = pools();
  std::lock_guard guard(p.lock);
  p.current[device] = pool;
}

Pool* create_pool(int device, std::size_t most_bytes) {
  Pools& p = pools();
  std::lock_guard guard(p.lock);
  Pool* pool = add_pool(p, device);
  pool->most = most_bytes;
  return pool;
}

bool destroy_pool(Pool* pool) {
  Pools& p = pools();
  std::lock_guard guard(p.lock);
  if (pool->is_default) return false;
  pool->destroyed = true;
  for (auto& [device, current] : p.current)
    if (current == pool) current = nullptr;
  shrink(*pool, 0);
  return true;
}

Pool* pool_from(const void* handle) {
  Pools& p = pools();
  std::lock_guard guard(p.lock);
  for (const auto& pool : p.all)
    if (pool.get() == handle && !pool->destroyed) return pool.get();
  return nullptr;
}

int device_of(const Pool& pool) { return pool.device; }

cudaError_t allocate_async(void** pointer, std::size_t bytes, Pool* pool, const void* stream) {
  *pointer = nullptr;
  if (const cudaError_t error = queue_nothing(stream)) return error;
  if (bytes == 0) return cudaSuccess;
  Pools& p = pools();
  std::lock_guard guard(p.lock);
  settle_device(p, pool->device);
  const std::size_t n = counted(bytes);
  if (n < bytes || !grow(p, *pool, n)) return cudaErrorMemoryAllocation;
  *pointer = simulator().memory.allocate_pooled(bytes, pool->device, pool);
  if (!*pointer) return cudaErrorMemoryAllocation;
  pool->used += n;
  pool->used_high = std::max(pool->used_high, pool->used);
  pool->reserved_high = std::max(pool->reserved_high, pool->reserved);
  return cudaSuccess;
}

void forget_pooled(const MemoryMap::Block& block) {
  Pools& p = pools();
  std::lock_guard guard(p.lock);
  for (const auto& pool : p.all)
    if (pool.get() == block.owner) {
      pool->used -= counted(block.bytes);
      if (pool->destroyed) shrink(*pool, 0);
    }
}

cudaError_t free_async(void* pointer, const void* stream) {
  if (!pointer) return cudaErrorInvalidValue;
  MemoryMap& memory = simulator().memory;
  const MemoryMap::Block block = memory.find(pointer);
  if (block.base != reinterpret_cast<std::uintptr_t>(pointer) || block.kind != MemoryKind::device ||
      block.origin == Origin::mapped)
    return cudaErrorInvalidValue;
  if (const cudaError_t error = queue_nothing(stream)) return error;
  if (!memory.release(pointer, MemoryKind::device)) return cudaErrorInvalidValue;
  if (block.origin == Origin::pooled) forget_pooled(block);
  return cudaSuccess;
}

bool get_pool_attribute(Pool* pool, int attribute, void* value) {
  Pools& p = pools();
  std::lock_guard guard(p.lock);
  settle(*pool);
  if (attribute >= 1 && attribute <= 3) {
    *static_cast<int*>(value) = pool->reuse[attribute - 1];
    return true;
  }
  const std::uint64_t* fields[] = {&pool->threshold, &pool->reserved, &pool->reserved_high, &pool->used,
                                   &pool->used_high};
  if (attribute < 4 || attribute > 8) return false;
  *static_cast<std::uint64_t*>(value) = *fields[attribute - 4];
  return true;
}

bool set_pool_attribute(Pool* pool, int attribute, const void* value) {
  Pools& p = pools();
  std::lock_guard guard(p.lock);
  if (attribute >= 1 && attribute <= 3) {
    pool->reuse[attribute - 1] = *static_cast<const int*>(value) != 0;
    return true;
  }
  const std::uint64_t number = *static_cast<const std::uint64_t*>(value);
  if (attribute == 4) {
    pool->threshold = number;
    return true;
  }
  if ((attribute != 6 && attribute != 8) || number != 0) return false;  // high-water marks can only be reset
  if (attribute == 6)
    pool->reserved_high = pool->reserved;
  else
    pool->used_high = pool->used;
  return true;
}

void trim_pool(Pool* pool, std::size_t keep_bytes) {
  Pools& p = pools();
  std::lock_guard guard(p.lock);
  shrink(*pool, keep_bytes);
}

bool pool_access(Pool* pool, int device) {
  Pools& p = pools();
  std::lock_guard guard(p.lock);
  return pool->device == device || pool->peers.contains(device);
}

void set_pool_access(Pool* pool, int device, bool allowed) {
  Pools& p = pools();
  std::lock_guard guard(p.lock);
  if (allowed)
    pool->peers.insert(device);
  else
    pool->peers.erase(device);
}

void release_unused(int device) {
  Pools& p = pools();
  std::lock_guard guard(p.lock);
  settle_device(p, device);
}

void note_synchronized() { g_waits.fetch_add(1, std::memory_order_relaxed); }

}  // namespace zerostall::simgpu
