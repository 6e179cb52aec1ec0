// What the simulated math libraries (cuBLAS, cuDNN, cuSOLVER, cuFFT, cuSPARSE) share: their kernels, the values they
// write, and waiting inside one of their calls. Thread-safe.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace zerostall::simgpu {

// Modelled time of a kernel that moves `bytes` through device memory.
std::int64_t transfer_ns(double bytes);

// Queues a kernel of a library. `name` lives as long as the process; `threads` decides the grid.
cudaError_t library_kernel(const char* name, std::int64_t ns, double threads, const void* stream);

// The same for a kernel that only moves bytes; one thread handles 16 of them.
cudaError_t library_kernel_by_bytes(const char* name, double bytes, const void* stream);

// A result that a library's kernel leaves in memory (device or host) and that the program reads back: an error code, a
// count. Unlike other results of kernels it is a real value. Null `target`: nothing is written. Call it after the
// launch.
void library_write(void* target, const void* value, std::size_t bytes);
void library_write_zeros(void* target, std::size_t bytes);

// The library waits for the stream, as seen by tools: a cudaStreamSynchronize inside the library's call.
cudaError_t library_wait(const void* stream);
// The same as cudaDeviceSynchronize.
cudaError_t library_wait_device();

}  // namespace zerostall::simgpu
