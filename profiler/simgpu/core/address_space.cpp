#include "profiler/simgpu/core/address_space.h"

#include <sys/mman.h>

#include <iterator>

namespace zerostall::simgpu {

namespace {

using ByAddress = std::map<std::uintptr_t, std::size_t>;

void add(Gaps& gaps, std::uintptr_t base, std::size_t bytes) {
  gaps.by_address.emplace(base, bytes);
  gaps.by_size.emplace(bytes, base);
}

void remove(Gaps& gaps, ByAddress::iterator gap) {
  gaps.by_size.erase({gap->second, gap->first});
  gaps.by_address.erase(gap);
}

}  // namespace

std::uintptr_t take(Gaps& gaps, std::size_t bytes, std::size_t alignment) {
  for (auto gap = gaps.by_size.lower_bound({bytes, 0}); gap != gaps.by_size.end(); ++gap) {
    const auto [size, base] = *gap;
    const std::uintptr_t aligned = (base + alignment - 1) / alignment * alignment;
    if (aligned - base > size || size - (aligned - base) < bytes) continue;
    take_at(gaps, aligned, bytes);
    return aligned;
  }
  return 0;
}

bool take_at(Gaps& gaps, std::uintptr_t base, std::size_t bytes) {
  auto gap = gaps.by_address.upper_bound(base);
  if (gap == gaps.by_address.begin()) return false;
  --gap;
  const std::uintptr_t begin = gap->first, end = begin + gap->second;
  if (base < begin || end - base < bytes || base >= end) return false;
  remove(gaps, gap);
  if (base > begin) add(gaps, begin, base - begin);
  if (base + bytes < end) add(gaps, base + bytes, end - base - bytes);
  return true;
}

void give_back(Gaps& gaps, std::uintptr_t base, std::size_t bytes) {
  const auto after = gaps.by_address.lower_bound(base);
  if (after != gaps.by_address.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == base) {
      base = before->first;
      bytes += before->second;
      remove(gaps, before);
    }
  }
  if (after != gaps.by_address.end() && base + bytes == after->first) {
    bytes += after->second;
    remove(gaps, after);
  }
  add(gaps, base, bytes);
}

std::uintptr_t map_without_memory(std::uintptr_t wanted, std::size_t bytes) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
#if defined(__SANITIZE_THREAD__)
  void* p = MAP_FAILED;  // ThreadSanitizer has use for those addresses
  (void)wanted;
#else
  void* p = mmap(reinterpret_cast<void*>(wanted), bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE, -1, 0);
#endif
  if (p == MAP_FAILED)  // somebody else lives there: any place will do, only repeatability of addresses is lost
    p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (p == MAP_FAILED) return 0;
  madvise(p, bytes, MADV_NOHUGEPAGE);  // a 512-byte upload must not cost 2 MiB
  madvise(p, bytes, MADV_DONTDUMP);
  return reinterpret_cast<std::uintptr_t>(p);
}

}  // namespace zerostall::simgpu
