#include "profiler/simgpu/nccl/values.h"

#include <cstring>

#include "profiler/simgpu/core/simulator.h"
#include "profiler/simgpu/nccl/abi.h"

namespace zerostall::simgpu::nccl {

Certainty take(void* target, const void* source, std::size_t bytes, int type) {
  MemoryMap& memory = simulator().memory;
  const MemoryKind kind = memory.find(source).kind;
  if (kind == MemoryKind::device || kind == MemoryKind::managed) {
    const Certainty c = memory.contents().read(target, source, bytes, is_integer(type) ? 0 : kScalarBytes);
    return c == Certainty::unknown && type_bytes(type) == 1 ? memory.contents().read_grown(target, source, bytes) : c;
  }
  std::memcpy(target, source, bytes);
  return Certainty::real;
}

void give(void* target, const void* source, std::size_t bytes, Certainty certainty, int type) {
  if (!target || !bytes) return;
  const MemoryKind kind = simulator().memory.find(target).kind;
  const bool on_device = kind == MemoryKind::device || kind == MemoryKind::managed;
  // Unknown values are zeros wherever they are read: they need no real memory.
  if (!source) certainty = Certainty::unknown;
  if (source && (certainty != Certainty::unknown || !on_device)) std::memcpy(target, source, bytes);
  if (on_device) simulator().memory.contents().note_written(target, bytes, certainty, type_bytes(type));
}

}  // namespace zerostall::simgpu::nccl
