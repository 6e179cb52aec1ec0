#include "profiler/simgpu/core/memory.h"

#include <sys/mman.h>

#include <algorithm>

namespace zerostall::simgpu {
namespace {

constexpr std::uintptr_t kArena = 0x100000000000;  // 16 TiB: far from where Linux puts anything
constexpr std::size_t kArenaBytes = std::size_t{1} << 40;
constexpr std::size_t kGranularity = std::size_t{1} << 16;
constexpr std::size_t kPage = 4096;

std::size_t round_up(std::size_t n, std::size_t to) { return n == 0 ? to : (n + to - 1) / to * to; }

}  // namespace

void* MemoryMap::reserve_device(std::size_t rounded) {
  if (!arena_) {
    void* p = mmap(reinterpret_cast<void*>(kArena), kArenaBytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (p == MAP_FAILED)  // somebody else lives there: any place will do, only repeatability of addresses is lost
      p = mmap(nullptr, kArenaBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return nullptr;
    madvise(p, kArenaBytes, MADV_NOHUGEPAGE);  // a 512-byte upload must not cost 2 MiB
    madvise(p, kArenaBytes, MADV_DONTDUMP);
    arena_ = reinterpret_cast<std::uintptr_t>(p);
    free_[arena_] = kArenaBytes;
  }
  const auto gap = std::find_if(free_.begin(), free_.end(), [&](const auto& g) { return g.second >= rounded; });
  if (gap == free_.end()) return nullptr;
  const auto [base, size] = *gap;
  free_.erase(gap);
  if (size > rounded) free_[base + rounded] = size - rounded;
  return reinterpret_cast<void*>(base);
}

void* MemoryMap::allocate_device(std::size_t bytes, std::size_t capacity) {
  std::lock_guard guard(lock_);
  const std::size_t rounded = round_up(bytes, kGranularity);
  if (rounded < bytes || rounded > capacity || device_bytes_ > capacity - rounded) return nullptr;
  void* p = reserve_device(rounded);
  if (!p) return nullptr;
  device_bytes_ += rounded;
  peak_ = std::max(peak_, device_bytes_);
  const auto base = reinterpret_cast<std::uintptr_t>(p);
  blocks_[base] = {base, bytes, MemoryKind::device, false};
  return p;
}

void* MemoryMap::allocate_host(std::size_t bytes, MemoryKind kind) {
  void* p = mmap(nullptr, round_up(bytes, kPage), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  std::lock_guard guard(lock_);
  const auto base = reinterpret_cast<std::uintptr_t>(p);
  blocks_[base] = {base, bytes, kind, false};
  return p;
}

bool MemoryMap::register_host(void* base, std::size_t bytes) {
  std::lock_guard guard(lock_);
  const auto b = reinterpret_cast<std::uintptr_t>(base);
  const auto next = blocks_.lower_bound(b);
  if (next != blocks_.end() && next->first < b + bytes) return false;
  if (locate(b)) return false;
  blocks_[b] = {b, bytes, MemoryKind::pinned, true};
  return true;
}

bool MemoryMap::unregister_host(void* base) {
  std::lock_guard guard(lock_);
  const auto it = blocks_.find(reinterpret_cast<std::uintptr_t>(base));
  if (it == blocks_.end() || !it->second.registered) return false;
  blocks_.erase(it);
  return true;
}

bool MemoryMap::release(void* base, MemoryKind kind) {
  std::lock_guard guard(lock_);
  const auto it = blocks_.find(reinterpret_cast<std::uintptr_t>(base));
  if (it == blocks_.end() || it->second.kind != kind || it->second.registered) return false;
  const Block block = it->second;
  blocks_.erase(it);
  if (kind != MemoryKind::device) {
    munmap(base, round_up(block.bytes, kPage));
    return true;
  }
  const std::size_t rounded = round_up(block.bytes, kGranularity);
  device_bytes_ -= rounded;
  contents_.forget(base, rounded);
  madvise(base, rounded, MADV_DONTNEED);  // gives the pages back; the next owner reads zeros
  auto gap = free_.emplace(block.base, rounded).first;
  if (gap != free_.begin()) {
    const auto before = std::prev(gap);
    if (before->first + before->second == gap->first) {
      before->second += gap->second;
      free_.erase(gap);
      gap = before;
    }
  }
  const auto after = std::next(gap);
  if (after != free_.end() && gap->first + gap->second == after->first) {
    gap->second += after->second;
    free_.erase(after);
  }
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
  const Block* block = locate(reinterpret_cast<std::uintptr_t>(address));
  return block ? *block : Block{};
}

std::size_t MemoryMap::device_bytes() const {
  std::lock_guard guard(lock_);
  return device_bytes_;
}

std::size_t MemoryMap::peak_device_bytes() const {
  std::lock_guard guard(lock_);
  return peak_;
}

void MemoryMap::note_write(const void* address, std::size_t bytes, bool real) {
  if (real)
    contents_.note_written(address, bytes);
  else
    contents_.forget(address, bytes);
}

bool MemoryMap::is_real(const void* address, std::size_t bytes) const {
  return contents_.read(nullptr, address, bytes) == Certainty::real;
}

}  // namespace zerostall::simgpu
