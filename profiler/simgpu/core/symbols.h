// Variables of device code (__device__, __constant__): known by the address of their host shadow, given device memory
// on each device at first use. Thread-safe.
#pragma once
#include <cstddef>

namespace zerostall::simgpu {

void register_symbol(const void* host_variable, const char* name, std::size_t bytes);

struct SymbolMemory {
  void* address = nullptr;  // null: unknown symbol, or no device memory left
  std::size_t bytes = 0;
};
SymbolMemory symbol_memory(const void* host_variable, int device);

}  // namespace zerostall::simgpu
