// Best-fit hand-out of a stretch of address space, kept as its gaps: of the smallest gaps that fit, the one with the
// lowest address. Each call costs the logarithm of their number; programs are known to keep 100,000 blocks.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace zerostall::simgpu {

struct Gaps {
  std::map<std::uintptr_t, std::size_t> by_address;
  std::set<std::pair<std::size_t, std::uintptr_t>> by_size;
};

inline std::size_t round_up(std::size_t n, std::size_t to) { return n == 0 ? to : (n + to - 1) / to * to; }

// Takes `bytes` at a multiple of `alignment` from the smallest gap that has them; 0: none.
std::uintptr_t take(Gaps& gaps, std::size_t bytes, std::size_t alignment);
// Takes exactly [base, base + bytes); false: not free.
bool take_at(Gaps& gaps, std::uintptr_t base, std::size_t bytes);
void give_back(Gaps& gaps, std::uintptr_t base, std::size_t bytes);  // joins neighbours

// Maps address space without memory behind it, at `wanted` if it is free. 0: refused by the system.
std::uintptr_t map_without_memory(std::uintptr_t wanted, std::size_t bytes);

}  // namespace zerostall::simgpu
