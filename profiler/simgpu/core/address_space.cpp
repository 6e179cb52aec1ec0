#include "profiler/simgpu/core/address_space.h"

#include <sys/mman.h>

#include <iterator>

namespace zerostall::simgpu {

std::uintptr_t take(Gaps& gaps, std::size_t bytes, std::size_t alignment) {
  for (const auto& [base, size] : gaps) {
    const std::uintptr_t aligned = (base + alignment - 1) / alignment * alignment;
    if (aligned - base > size || size - (aligned - base) < bytes) continue;
    take_at(gaps, aligned, bytes);
    return aligned;
  }
  return 0;
}

bool take_at(Gaps& gaps, std::uintptr_t base, std::size_t bytes) {
  auto gap = gaps.upper_bound(base);
  if (gap == gaps.begin()) return false;
  --gap;
  const std::uintptr_t begin = gap->first, end = begin + gap->second;
  if (base < begin || end - base < bytes || base >= end) return false;
  gaps.erase(gap);
  if (base > begin) gaps[begin] = base - begin;
  if (base + bytes < end) gaps[base + bytes] = end - base - bytes;
  return true;
}

void give_back(Gaps& gaps, std::uintptr_t base, std::size_t bytes) {
  auto gap = gaps.emplace(base, bytes).first;
  if (gap != gaps.begin()) {
    const auto before = std::prev(gap);
    if (before->first + before->second == gap->first) {
      before->second += gap->second;
      gaps.erase(gap);
      gap = before;
    }
  }
  const auto after = std::next(gap);
  if (after != gaps.end() && gap->first + gap->second == after->first) {
    gap->second += after->second;
    gaps.erase(after);
  }
}

std::uintptr_t map_without_memory(std::uintptr_t wanted, std::size_t bytes) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* p = mmap(reinterpret_cast<void*>(wanted), bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE, -1, 0);
  if (p == MAP_FAILED)  // somebody else lives there: any place will do, only repeatability of addresses is lost
    p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (p == MAP_FAILED) return 0;
  madvise(p, bytes, MADV_NOHUGEPAGE);  // a 512-byte upload must not cost 2 MiB
  madvise(p, bytes, MADV_DONTDUMP);
  return reinterpret_cast<std::uintptr_t>(p);
}

}  // namespace zerostall::simgpu
