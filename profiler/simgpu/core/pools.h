// Stream-ordered allocation (cudaMallocAsync). A pool keeps device memory it no longer uses, above its release
// threshold only until the host next waits for the device. Addresses are free again as soon as the free is queued: work
// that would still use them computes nothing. Thread-safe.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "profiler/simgpu/core/memory.h"

namespace zerostall::simgpu {

struct Pool;  // a cudaMemPool_t or CUmemoryPool is a pointer to it

Pool* default_pool(int device);
Pool* current_pool(int device);  // the one cudaMallocAsync uses
void set_current_pool(int device, Pool* pool);
Pool* create_pool(int device, std::size_t most_bytes);  // 0: no limit but the device
bool destroy_pool(Pool* pool);                          // false: a default pool. Its allocations stay valid
Pool* pool_from(const void* handle);                    // null: unknown
int device_of(const Pool& pool);

// Queued on the stream. Out of memory, unknown streams: the runtime's errors (the driver's numbers are the same).
cudaError_t allocate_async(void** pointer, std::size_t bytes, Pool* pool, const void* stream);
cudaError_t free_async(void* pointer, const void* stream);
// What cudaFree does with a pool's block, after it has waited.
void forget_pooled(const MemoryMap::Block& block);

// Attributes 1 to 8 of cudaMemPoolAttr, as both APIs number them. False: not this attribute, or not this value.
bool get_pool_attribute(Pool* pool, int attribute, void* value);
bool set_pool_attribute(Pool* pool, int attribute, const void* value);
void trim_pool(Pool* pool, std::size_t keep_bytes);
// May `device` use the pool's memory? Its own always.
bool pool_access(Pool* pool, int device);
void set_pool_access(Pool* pool, int device, bool allowed);

void release_unused(int device);  // what pools may give back, before memory is counted or runs out
void note_synchronized();         // the host has waited for the device

}  // namespace zerostall::simgpu
