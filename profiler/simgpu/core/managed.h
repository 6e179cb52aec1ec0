// Managed memory: hints, and moving it ahead of use. Hints change nothing but what is answered about them. Thread-safe.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>

namespace zerostall::simgpu {

// As CUDA numbers locations: cudaMemLocationType and id; device -1 is the host where there is only a number.
struct Location {
  int type = 0;
  int id = 0;
};
Location location_of_device(int device);

cudaError_t advise(const void* pointer, std::size_t bytes, int advice, Location location);
cudaError_t prefetch(const void* pointer, std::size_t bytes, Location location, const void* stream);
cudaError_t range_attribute(void* data, std::size_t data_bytes, int attribute, const void* pointer, std::size_t bytes);

}  // namespace zerostall::simgpu
