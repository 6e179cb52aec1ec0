// Virtual memory management: physical allocations without an address (CUmemGenericAllocationHandle). Addresses and what
// is mapped there: memory.h. One physical allocation mapped at two addresses is two memories here. Thread-safe.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace zerostall::simgpu {

inline constexpr std::size_t kMappingGranularity = std::size_t{2} << 20;

struct Physical {
  std::size_t bytes = 0;
  int device = 0;
  unsigned handle_types = 0;  // CUmemAllocationHandleType bits it may be exported as
  unsigned references = 1, mappings = 0;
};

// Numbers of errors are those of both APIs.
cudaError_t create_physical(std::uint64_t* handle, std::size_t bytes, int device, unsigned handle_types);
cudaError_t retain_physical(std::uint64_t handle);
cudaError_t release_physical(std::uint64_t handle);
bool find_physical(std::uint64_t handle, Physical* found);

cudaError_t map_physical(void* address, std::size_t bytes, std::size_t offset, std::uint64_t handle);
cudaError_t unmap_physical(void* address, std::size_t bytes);
// The handle of what is mapped at an address; 0: nothing.
std::uint64_t physical_at(const void* address);

// As a file descriptor, for this process only: another process cannot import it.
cudaError_t export_physical(std::uint64_t handle, int* descriptor);
cudaError_t import_physical(std::uint64_t* handle, int descriptor);

}  // namespace zerostall::simgpu
