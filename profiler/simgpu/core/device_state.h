// What a program sets on a device and reads back: flags, limits, peers. Thread-safe.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>

namespace zerostall::simgpu {

cudaError_t get_limit(std::size_t* value, int limit);  // of the current device; numbers of cudaLimit and CUlimit
cudaError_t set_limit(int limit, std::size_t value);

// Devices reach each other's memory; a device is no peer of itself.
cudaError_t can_access_peer(int* can, int device, int peer);
cudaError_t enable_peer(int peer);
cudaError_t disable_peer(int peer);

}  // namespace zerostall::simgpu
