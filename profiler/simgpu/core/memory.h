// Which address is what: device, pinned, managed, registered or pageable memory, for any address inside an allocation.
// Device memory is address space only: reserved without backing, read as zeros until a copy or memset writes to it.
// Addresses of device memory are the same in every run (best fit in one arena a device). Thread-safe.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "profiler/simgpu/core/address_space.h"
#include "profiler/simgpu/core/contents.h"

namespace zerostall::simgpu {

enum class MemoryKind : std::uint8_t { pageable = 1, pinned = 2, device = 3, managed = 5 };  // CUPTI's values

enum class Origin : std::uint8_t { allocated, registered, pooled, mapped };  // mapped: virtual memory management

class MemoryMap {
 public:
  struct Block {
    std::uintptr_t base = 0;
    std::size_t bytes = 0;  // as asked for
    MemoryKind kind = MemoryKind::pageable;
    Origin origin = Origin::allocated;  // registered (cudaHostRegister): the memory is the program's
    int device = 0;
    unsigned flags = 0;           // pinned: those of cudaHostAlloc or cudaHostRegister
    const void* owner = nullptr;  // pooled: the pool; mapped: the physical allocation
    bool accessible = true;       // mapped memory is not, until access is granted
    std::uint64_t id = 0;         // unique in the process: CU_POINTER_ATTRIBUTE_BUFFER_ID
  };

  explicit MemoryMap(std::size_t device_capacity) : capacity_(device_capacity) {}

  // Null when the device's memory is exceeded.
  void* allocate_device(std::size_t bytes, int device);
  // Addresses for a pool's allocation; the pool accounts for the memory itself (charge).
  void* allocate_pooled(std::size_t bytes, int device, const void* pool);
  // Pinned or managed; null when the machine has no memory.
  void* allocate_host(std::size_t bytes, MemoryKind kind, int device = 0, unsigned flags = 0);
  bool register_host(void* base, std::size_t bytes, int device = 0,
                     unsigned flags = 0);     // false: overlaps a known block
  bool unregister_host(void* base);           // false: not registered
  bool release(void* base, MemoryKind kind);  // false: no such block of that kind

  // Takes device memory without an address, or gives it back. False: exceeded.
  bool charge(int device, std::size_t bytes);
  void discharge(int device, std::size_t bytes);

  // Virtual memory management: addresses without memory, and memory put there. Page-aligned sizes.
  void* reserve_addresses(std::size_t bytes, std::size_t alignment, void* wanted);
  bool free_addresses(void* base, std::size_t bytes);  // false: not reserved so, or something is mapped there
  bool map(void* address, std::size_t bytes, int device, const void* owner);  // false: not reserved, or in use
  // The owners of what was mapped there, with their sizes; empty: the range is not exactly whole mappings.
  std::vector<Block> unmap(void* address, std::size_t bytes);
  bool set_access(void* address, std::size_t bytes, bool accessible);  // false: not all mapped

  // The block that holds `address`; a pageable Block with base 0 if none does.
  Block find(const void* address) const;
  // `bytes` from `address` lie within known accessible memory without gaps. Pageable addresses: true.
  bool covers(const void* address, std::size_t bytes) const;
  std::size_t capacity() const { return capacity_; }
  std::size_t device_bytes(int device = 0) const;
  std::size_t peak_device_bytes() const;  // of all devices together

  // What device memory holds.
  Contents& contents() { return contents_; }
  // Shorthands of it. `real` false: whatever was there is gone and nothing is known of what is there now.
  void note_write(const void* address, std::size_t bytes, bool real);
  void note_launch() { contents_.note_launch(); }
  bool is_real(const void* address, std::size_t bytes) const;

 private:
  struct Area {  // a piece of address space
    std::uintptr_t base = 0;
    Gaps free;
  };
  const Block* locate(std::uintptr_t address) const;
  Area* arena(int device);
  void add(Block block);
  bool add_charge(int device, std::size_t bytes);
  bool reserved(std::uintptr_t begin, std::uintptr_t end) const;

  const std::size_t capacity_;
  mutable std::mutex lock_;
  std::map<std::uintptr_t, Block> blocks_;
  std::map<int, Area> arenas_;  // by device
  Area virtual_;
  std::map<std::uintptr_t, std::size_t> reservations_;
  std::map<int, std::size_t> charged_;
  std::size_t all_charged_ = 0, peak_ = 0;
  std::uint64_t next_id_ = 1;
  Contents contents_;
};

}  // namespace zerostall::simgpu
