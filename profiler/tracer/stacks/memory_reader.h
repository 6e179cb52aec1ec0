// Reads this process's own memory, where something may be unmapped.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace zerostall::tracer {

// Copies `bytes` from `address`. False: not readable; nothing was touched. About 0.3 us: a system call. Never faults.
bool read_checked(std::uintptr_t address, void* to, std::size_t bytes);

// The same for many small things that lie close together and do not change meanwhile: one system call a page.
class PageReader {
 public:
  bool read(std::uintptr_t address, void* to, std::size_t bytes);

 private:
  static constexpr std::size_t kPage = 4096;  // a page, or a part of one: readable as a whole or not at all
  struct Page {
    std::uintptr_t begin = 1;  // no page begins there
    std::array<unsigned char, kPage> bytes;
  };
  const Page* page_at(std::uintptr_t begin);

  std::array<Page, 2> pages_;
  std::size_t oldest_ = 0;
};

}  // namespace zerostall::tracer
