#include "profiler/simgpu/nccl/values.h"

#include <cstring>

#include "profiler/simgpu/core/simulator.h"

namespace zerostall::simgpu::nccl {

bool take(void* target, const void* source, std::size_t bytes) {
  std::memcpy(target, source, bytes);
  const MemoryMap& memory = simulator().memory;
  const MemoryKind kind = memory.find(source).kind;
  return (kind != MemoryKind::device && kind != MemoryKind::managed) || memory.is_real(source, bytes);
}

void give(void* target, const void* source, std::size_t bytes, bool real) {
  if (!target || !bytes) return;
  if (source) std::memcpy(target, source, bytes);
  simulator().memory.note_write(target, bytes, source && real);
}

}  // namespace zerostall::simgpu::nccl
