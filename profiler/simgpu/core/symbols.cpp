#include "profiler/simgpu/core/symbols.h"

#include <map>
#include <mutex>
#include <string>

#include "profiler/simgpu/core/simulator.h"

namespace zerostall::simgpu {
namespace {

struct Symbol {
  std::string name;
  std::size_t bytes = 0;
  std::map<int, void*> by_device;
};

struct Symbols {
  std::mutex lock;
  std::map<const void*, Symbol> by_host;
};

Symbols& symbols() {
  static Symbols* instance = new Symbols;
  return *instance;
}

}  // namespace

void register_symbol(const void* host_variable, const char* name, std::size_t bytes) {
  Symbols& s = symbols();
  std::lock_guard guard(s.lock);
  s.by_host[host_variable] = {name ? name : "", bytes, {}};
}

SymbolMemory symbol_memory(const void* host_variable, int device) {
  Symbols& s = symbols();
  std::lock_guard guard(s.lock);
  const auto it = s.by_host.find(host_variable);
  if (it == s.by_host.end()) return {};
  void*& address = it->second.by_device[device];
  if (!address) address = simulator().memory.allocate_device(it->second.bytes, device);
  return {address, it->second.bytes};
}

}  // namespace zerostall::simgpu
