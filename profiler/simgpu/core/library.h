// What the simulated math libraries (cuBLAS, cuDNN, cuSOLVER, cuFFT, cuSPARSE) share: their kernels, the values they
// write, and waiting inside one of their calls. Thread-safe.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace zerostall::simgpu {

// A number of LAPACK type S, D, C or Z: its bytes, the bits of one real part (they decide the rate), and how many real
// multiplications a product of two takes.
struct Scalar {
  int bytes;
  int bits;
  double work;
};
inline constexpr Scalar kS{4, 32, 1}, kD{8, 64, 1}, kC{8, 32, 4}, kZ{16, 64, 4};
Scalar scalar_of(int data_type);  // of a cudaDataType

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
