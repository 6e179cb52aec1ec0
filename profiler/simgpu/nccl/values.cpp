#include "profiler/simgpu/nccl/values.h"

#include <cstring>

#include "profiler/simgpu/core/simulator.h"
#include "profiler/simgpu/nccl/abi.h"

namespace zerostall::simgpu::nccl {

bool take(void* target, const void* source, std::size_t bytes, int type) {
  MemoryMap& memory = simulator().memory;
  const MemoryKind kind = memory.find(source).kind;
  if (kind == MemoryKind::device || kind == MemoryKind::managed)
    return memory.contents().read(target, source, bytes, is_integer(type) ? 0 : kScalarBytes) != Certainty::unknown ||
           (type_bytes(type) == 1 && memory.contents().read_grown(target, source, bytes));
  std::memcpy(target, source, bytes);
  return true;
}

void give(void* target, const void* source, std::size_t bytes, bool real) {
  if (!target || !bytes) return;
  const MemoryKind kind = simulator().memory.find(target).kind;
  const bool on_device = kind == MemoryKind::device || kind == MemoryKind::managed;
  // Unknown values are zeros wherever they are read: they need no real memory.
  if (source && (real || !on_device)) std::memcpy(target, source, bytes);
  if (on_device) simulator().memory.note_write(target, bytes, source && real);
}

}  // namespace zerostall::simgpu::nccl
