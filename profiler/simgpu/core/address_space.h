// First-fit hand-out of a stretch of address space, kept as its gaps.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>

namespace zerostall::simgpu {

using Gaps = std::map<std::uintptr_t, std::size_t>;

inline std::size_t round_up(std::size_t n, std::size_t to) { return n == 0 ? to : (n + to - 1) / to * to; }

// Takes `bytes` at a multiple of `alignment` from the first gap that has them; 0: none.
std::uintptr_t take(Gaps& gaps, std::size_t bytes, std::size_t alignment);
// Takes exactly [base, base + bytes); false: not free.
bool take_at(Gaps& gaps, std::uintptr_t base, std::size_t bytes);
void give_back(Gaps& gaps, std::uintptr_t base, std::size_t bytes);  // joins neighbours

// Maps address space without memory behind it, at `wanted` if it is free. 0: refused by the system.
std::uintptr_t map_without_memory(std::uintptr_t wanted, std::size_t bytes);

}  // namespace zerostall::simgpu
