#include "profiler/simgpu/core/allocate.h"

#include "profiler/simgpu/core/capture.h"
#include "profiler/simgpu/core/host_functions.h"
#include "profiler/simgpu/core/pools.h"
#include "profiler/simgpu/core/simulator.h"

namespace zerostall::simgpu {
namespace {

constexpr std::size_t kPitch = 512;
constexpr unsigned kHostAllocFlags = 7, kRegisterFlags = 15;

// Calls that change the address map may wait for the device: not allowed while a stream is captured, nor from a
// function that runs in stream order.
cudaError_t check_allowed() {
  ensure_context();
  return in_host_function() ? cudaErrorNotPermitted : check_unsafe_call();
}

void wait_until_idle(int device, std::int64_t cost_ns) {
  Simulator& s = simulator();
  std::int64_t tail = 0;
  {
    std::lock_guard guard(s.lock);
    tail = s.timeline.device_tail(device);
  }
  s.clock.wait_until(tail);
  finish_host_functions(tail);
  s.clock.advance(cost_ns);
  note_synchronized();
}

}  // namespace

cudaError_t allocate_device(void** pointer, std::size_t bytes) {
  if (!pointer) return cudaErrorInvalidValue;
  if (const cudaError_t error = check_allowed()) return error;
  Simulator& s = simulator();
  s.clock.advance(s.model.allocate_ns);
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  release_unused(current_device());
  *pointer = s.memory.allocate_device(bytes, current_device());
  return *pointer ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t allocate_pitched(void** pointer, std::size_t* pitch, std::size_t width_bytes, std::size_t rows) {
  if (!pointer || !pitch) return cudaErrorInvalidValue;
  const std::size_t row = (width_bytes + kPitch - 1) / kPitch * kPitch;
  if (rows && row > ~std::size_t{0} / rows) return cudaErrorMemoryAllocation;
  const cudaError_t error = allocate_device(pointer, row * rows);
  if (error == cudaSuccess) *pitch = row;
  return error;
}

cudaError_t allocate_pinned(void** pointer, std::size_t bytes, unsigned flags) {
  if (!pointer || flags & ~kHostAllocFlags) return cudaErrorInvalidValue;
  if (const cudaError_t error = check_allowed()) return error;
  Simulator& s = simulator();
  s.clock.advance(s.model.host_allocate_ns);
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  *pointer = s.memory.allocate_host(bytes, MemoryKind::pinned, current_device(), flags);
  return *pointer ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t allocate_managed(void** pointer, std::size_t bytes, unsigned flags) {
  if (!pointer || bytes == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
    return cudaErrorInvalidValue;
  if (const cudaError_t error = check_allowed()) return error;
  Simulator& s = simulator();
  s.clock.advance(s.model.allocate_ns);
  *pointer = s.memory.allocate_host(bytes, MemoryKind::managed, current_device(), flags);
  return *pointer ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t free_device(void* pointer) {
  if (const cudaError_t error = check_allowed()) return error;
  if (!pointer) return cudaSuccess;
  Simulator& s = simulator();
  const MemoryMap::Block block = s.memory.find(pointer);
  if (block.base != reinterpret_cast<std::uintptr_t>(pointer) || block.origin == Origin::mapped ||
      (block.kind != MemoryKind::device && block.kind != MemoryKind::managed))
    return cudaErrorInvalidValue;
  wait_until_idle(block.device, s.model.allocate_ns);
  if (!s.memory.release(pointer, block.kind)) return cudaErrorInvalidValue;
  if (block.origin == Origin::pooled) forget_pooled(block);
  return cudaSuccess;
}

cudaError_t free_pinned(void* pointer) {
  if (const cudaError_t error = check_allowed()) return error;
  if (!pointer) return cudaSuccess;
  Simulator& s = simulator();
  wait_until_idle(current_device(), s.model.host_allocate_ns);
  return s.memory.release(pointer, MemoryKind::pinned) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t register_pinned(void* pointer, std::size_t bytes, unsigned flags) {
  if (!pointer || !bytes || flags & ~kRegisterFlags) return cudaErrorInvalidValue;
  if (const cudaError_t error = check_allowed()) return error;
  Simulator& s = simulator();
  s.clock.advance(s.model.host_allocate_ns);
  return s.memory.register_host(pointer, bytes, current_device(), flags) ? cudaSuccess
                                                                         : cudaErrorHostMemoryAlreadyRegistered;
}

cudaError_t unregister_pinned(void* pointer) {
  if (!pointer) return cudaErrorInvalidValue;
  if (const cudaError_t error = check_allowed()) return error;
  Simulator& s = simulator();
  wait_until_idle(current_device(), s.model.host_allocate_ns);
  return s.memory.unregister_host(pointer) ? cudaSuccess : cudaErrorHostMemoryNotRegistered;
}

cudaError_t memory_info(std::size_t* free_bytes, std::size_t* total_bytes) {
  const MemoryMap& memory = simulator().memory;
  release_unused(current_device());
  if (total_bytes) *total_bytes = memory.capacity();
  if (free_bytes) *free_bytes = memory.capacity() - memory.device_bytes(current_device());
  return cudaSuccess;
}

}  // namespace zerostall::simgpu
