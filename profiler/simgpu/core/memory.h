// Which address is what: device, pinned, managed, registered or pageable memory, for any address inside an allocation.
// Device memory is address space only: reserved without backing, read as zeros until a copy or memset writes to it.
// Addresses of device memory are the same in every run (first fit in one arena). Thread-safe.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "profiler/simgpu/core/contents.h"

namespace zerostall::simgpu {

enum class MemoryKind : std::uint8_t { pageable = 1, pinned = 2, device = 3, managed = 5 };  // CUPTI's values

class MemoryMap {
 public:
  struct Block {
    std::uintptr_t base = 0;
    std::size_t bytes = 0;  // as asked for
    MemoryKind kind = MemoryKind::pageable;
    bool registered = false;  // cudaHostRegister: the memory is the program's
  };

  // `capacity` = device memory of the model. Returns null when it is exceeded.
  void* allocate_device(std::size_t bytes, std::size_t capacity);
  void* allocate_host(std::size_t bytes, MemoryKind kind);  // pinned or managed; null when the machine has no memory
  bool register_host(void* base, std::size_t bytes);        // false: overlaps a known block
  bool unregister_host(void* base);                         // false: not registered
  bool release(void* base, MemoryKind kind);                // false: no such block of that kind

  // The block that holds `address`; a pageable Block with base 0 if none does.
  Block find(const void* address) const;
  std::size_t device_bytes() const;
  std::size_t peak_device_bytes() const;

  // What device memory holds.
  Contents& contents() { return contents_; }
  // Shorthands of it. `real` false: whatever was there is gone and nothing is known of what is there now.
  void note_write(const void* address, std::size_t bytes, bool real);
  void note_launch() { contents_.note_launch(); }
  bool is_real(const void* address, std::size_t bytes) const;

 private:
  void* reserve_device(std::size_t rounded);
  const Block* locate(std::uintptr_t address) const;

  mutable std::mutex lock_;
  std::map<std::uintptr_t, Block> blocks_;
  std::map<std::uintptr_t, std::size_t> free_;  // device arena: gaps by address
  std::uintptr_t arena_ = 0;
  std::size_t device_bytes_ = 0, peak_ = 0;
  Contents contents_;
};

}  // namespace zerostall::simgpu
