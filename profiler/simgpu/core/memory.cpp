#include "profiler/simgpu/core/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

namespace zerostall::simgpu {
namespace {

// Far from where Linux puts anything: 512 GiB for each device from 16 TiB on, virtual memory management from 48 TiB on.
constexpr std::uintptr_t kArenas = 0x100000000000, kVirtual = 0x300000000000;
#if defined(__SANITIZE_THREAD__)
constexpr int kArenaBits = 38, kVirtualBits = 40;  // it has use for the rest
#else
constexpr int kArenaBits = 39, kVirtualBits = 45;
#endif
constexpr std::size_t kGranularity = std::size_t{1} << 16;
constexpr std::size_t kPage = 4096;

std::uintptr_t number(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

// Valgrind keeps a shadow of all that is mapped, used or not: ZEROSTALL_SIM_ADDRESS_BITS=32 leaves it 4 GiB to do.
std::size_t space(int usual_bits) {
  const char* text = std::getenv("ZEROSTALL_SIM_ADDRESS_BITS");
  const int bits = text ? std::atoi(text) : 0;
  return std::size_t{1} << (bits >= 30 && bits < usual_bits ? bits : usual_bits);
}

}  // namespace

MemoryMap::Area* MemoryMap::arena(int device) {
  Area& area = arenas_[device];
  if (!area.base) {
    const std::size_t bytes = space(kArenaBits);
    area.base = map_without_memory(kArenas + (static_cast<std::uintptr_t>(device) << kArenaBits), bytes);
    if (!area.base) return nullptr;
    give_back(area.free, area.base, bytes);
  }
  return &area;
}

void MemoryMap::add(Block block) {
  block.id = next_id_++;
  blocks_[block.base] = block;
}

bool MemoryMap::add_charge(int device, std::size_t bytes) {
  std::size_t& charged = charged_[device];
  if (bytes > capacity_ || charged > capacity_ - bytes) return false;
  charged += bytes;
  all_charged_ += bytes;
  peak_ = std::max(peak_, all_charged_);
  return true;
}

bool MemoryMap::charge(int device, std::size_t bytes) {
  std::lock_guard guard(lock_);
  return add_charge(device, bytes);
}

void MemoryMap::discharge(int device, std::size_t bytes) {
  std::lock_guard guard(lock_);
  charged_[device] -= bytes;
  all_charged_ -= bytes;
}

void* MemoryMap::allocate_device(std::size_t bytes, int device) {
  std::lock_guard guard(lock_);
  const std::size_t rounded = round_up(bytes, kGranularity);
  if (rounded < bytes || !add_charge(device, rounded)) return nullptr;
  Area* area = arena(device);
  const std::uintptr_t base = area ? take(area->free, rounded, kGranularity) : 0;
  if (!base) {
    charged_[device] -= rounded;
    all_charged_ -= rounded;
    return nullptr;
  }
  add({.base = base, .bytes = bytes, .kind = MemoryKind::device, .device = device});
  return reinterpret_cast<void*>(base);
}

void* MemoryMap::allocate_pooled(std::size_t bytes, int device, const void* pool) {
  std::lock_guard guard(lock_);
  Area* area = arena(device);
  const std::uintptr_t base = area ? take(area->free, round_up(bytes, kGranularity), kGranularity) : 0;
  if (!base) return nullptr;
  add({.base = base,
       .bytes = bytes,
       .kind = MemoryKind::device,
       .origin = Origin::pooled,
       .device = device,
       .owner = pool});
  return reinterpret_cast<void*>(base);
}

void* MemoryMap::allocate_host(std::size_t bytes, MemoryKind kind, int device, unsigned flags) {
  void* p = mmap(nullptr, round_up(bytes, kPage), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  std::lock_guard guard(lock_);
  add({.base = number(p), .bytes = bytes, .kind = kind, .device = device, .flags = flags});
  return p;
}

bool MemoryMap::register_host(void* base, std::size_t bytes, int device, unsigned flags) {
  std::lock_guard guard(lock_);
  const auto b = number(base);
  const auto next = blocks_.lower_bound(b);
  if (next != blocks_.end() && next->first < b + bytes) return false;
  if (locate(b)) return false;
  add({.base = b,
       .bytes = bytes,
       .kind = MemoryKind::pinned,
       .origin = Origin::registered,
       .device = device,
       .flags = flags});
  return true;
}

bool MemoryMap::unregister_host(void* base) {
  std::lock_guard guard(lock_);
  const auto it = blocks_.find(number(base));
  if (it == blocks_.end() || it->second.origin != Origin::registered) return false;
  blocks_.erase(it);
  return true;
}

bool MemoryMap::release(void* base, MemoryKind kind) {
  std::lock_guard guard(lock_);
  const auto it = blocks_.find(number(base));
  if (it == blocks_.end() || it->second.kind != kind) return false;
  const Block block = it->second;
  if (block.origin == Origin::registered || block.origin == Origin::mapped) return false;
  blocks_.erase(it);
  if (kind != MemoryKind::device) {
    munmap(base, round_up(block.bytes, kPage));
    return true;
  }
  const std::size_t rounded = round_up(block.bytes, kGranularity);
  if (block.origin == Origin::allocated) {
    charged_[block.device] -= rounded;
    all_charged_ -= rounded;
  }
  contents_.forget(base, rounded);
  madvise(base, rounded, MADV_DONTNEED);  // gives the pages back
  give_back(arenas_[block.device].free, block.base, rounded);
  return true;
}

const MemoryMap::Block* MemoryMap::locate(std::uintptr_t address) const {
  auto it = blocks_.upper_bound(address);
  if (it == blocks_.begin()) return nullptr;
  --it;
  return address < it->first + std::max<std::size_t>(it->second.bytes, 1) ? &it->second : nullptr;
}

MemoryMap::Block MemoryMap::find(const void* address) const {
  std::lock_guard guard(lock_);
  const Block* block = locate(number(address));
  return block ? *block : Block{};
}

bool MemoryMap::covers(const void* address, std::size_t bytes) const {
  std::lock_guard guard(lock_);
  const std::uintptr_t begin = number(address), end = begin + bytes;
  if (end < begin) return false;
  const Block* block = locate(begin);
  if (!block) return true;
  // Mappings that lie side by side are one piece of memory to the program.
  while (block && block->accessible && block->origin == Origin::mapped && block->base + block->bytes < end)
    block = locate(block->base + block->bytes);
  return block && block->accessible && end <= block->base + block->bytes;
}

std::size_t MemoryMap::device_bytes(int device) const {
  std::lock_guard guard(lock_);
  const auto it = charged_.find(device);
  return it == charged_.end() ? 0 : it->second;
}

std::size_t MemoryMap::peak_device_bytes() const {
  std::lock_guard guard(lock_);
  return peak_;
}

void MemoryMap::note_write(const void* address, std::size_t bytes, bool real) {
  contents_.note_written(address, bytes, real ? Certainty::real : Certainty::unknown);
}

bool MemoryMap::is_real(const void* address, std::size_t bytes) const {
  return contents_.read(nullptr, address, bytes) == Certainty::real;
}

// --- virtual memory management

void* MemoryMap::reserve_addresses(std::size_t bytes, std::size_t alignment, void* wanted) {
  std::lock_guard guard(lock_);
  if (!virtual_.base) {
    const std::size_t total = space(kVirtualBits);
    virtual_.base = map_without_memory(kVirtual, total);
    if (!virtual_.base) return nullptr;
    give_back(virtual_.free, virtual_.base, total);
  }
  std::uintptr_t base = number(wanted);
  if (!base || !take_at(virtual_.free, base, bytes)) base = take(virtual_.free, bytes, alignment);
  if (base) reservations_[base] = bytes;
  return reinterpret_cast<void*>(base);
}

bool MemoryMap::free_addresses(void* base, std::size_t bytes) {
  std::lock_guard guard(lock_);
  const auto it = reservations_.find(number(base));
  if (it == reservations_.end() || it->second != bytes) return false;
  const auto mapped = blocks_.lower_bound(it->first);
  if (mapped != blocks_.end() && mapped->first < it->first + bytes) return false;
  reservations_.erase(it);
  give_back(virtual_.free, number(base), bytes);
  return true;
}

bool MemoryMap::reserved(std::uintptr_t begin, std::uintptr_t end) const {
  auto it = reservations_.upper_bound(begin);
  return it != reservations_.begin() && (--it, end <= it->first + it->second);
}

bool MemoryMap::map(void* address, std::size_t bytes, int device, const void* owner) {
  std::lock_guard guard(lock_);
  const std::uintptr_t begin = number(address), end = begin + bytes;
  if (!reserved(begin, end) || locate(begin)) return false;
  const auto next = blocks_.lower_bound(begin);
  if (next != blocks_.end() && next->first < end) return false;
  add({.base = begin,
       .bytes = bytes,
       .kind = MemoryKind::device,
       .origin = Origin::mapped,
       .device = device,
       .owner = owner,
       .accessible = false});
  return true;
}

std::vector<MemoryMap::Block> MemoryMap::unmap(void* address, std::size_t bytes) {
  std::lock_guard guard(lock_);
  std::vector<Block> found;
  const std::uintptr_t end = number(address) + bytes;
  std::uintptr_t reached = number(address);
  for (auto it = blocks_.find(reached); reached < end; ++it) {
    if (it == blocks_.end() || it->first != reached || it->second.origin != Origin::mapped) return {};
    found.push_back(it->second);
    reached += it->second.bytes;
  }
  if (reached != end) return {};
  for (const Block& block : found) blocks_.erase(block.base);
  contents_.forget(address, bytes);
  madvise(address, bytes, MADV_DONTNEED);
  return found;
}

bool MemoryMap::set_access(void* address, std::size_t bytes, bool accessible) {
  std::lock_guard guard(lock_);
  const std::uintptr_t begin = number(address), end = begin + bytes;
  for (std::uintptr_t at = begin; at < end;) {
    const Block* block = locate(at);
    if (!block || block->origin != Origin::mapped) return false;
    at = block->base + block->bytes;
  }
  for (auto it = blocks_.lower_bound(begin); it != blocks_.end() && it->first < end; ++it)
    it->second.accessible = accessible;
  return true;
}

}  // namespace zerostall::simgpu
