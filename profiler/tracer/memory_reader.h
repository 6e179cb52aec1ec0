// Reads this process's own memory, where something may be unmapped.
#pragma once
#include <cstddef>
#include <cstdint>

namespace zerostall::tracer {

// Copies `bytes` from `address`. False: not readable; nothing was touched. About 0.3 us: a system call. Never faults.
bool read_checked(std::uintptr_t address, void* to, std::size_t bytes);

}  // namespace zerostall::tracer
