// cuSOLVER (dense): handles and the launch behind every solver. Types are declared from NVIDIA's public documentation;
// enumerations are passed as int. Solvers always succeed: they write 0 to the error code on the device, which programs
// read back.
#pragma once
#include <cstddef>
#include <cstdint>

#include "profiler/simgpu/core/library.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace zerostall::simgpu::solver {

// cusolverStatus_t
inline constexpr int kSuccess = 0, kNotInitialized = 1, kInvalidValue = 3, kExecutionFailed = 6;

struct Handle {
  const void* stream = nullptr;
  int deterministic_mode = 1;
};

// syevjInfo_t and gesvdjInfo_t: settings of the Jacobi methods.
struct Jacobi {
  double tolerance = 0;
  int max_sweeps = 100;
  int sort = 1;
};

// One kernel of as many operations as a product of m x n x k, `batch` times. Zeros go to `info` (one code for each of
// the batch; may be null). Returns a cusolverStatus_t.
int solve(Handle* handle, const char* name, double m, double n, double k, Scalar type, int* info, double batch = 1);

// Sizes of workspaces, as counts of numbers. Both return a cusolverStatus_t.
int give_count(double count, int* out);
int give_bytes(double device, double host, std::size_t* device_out, std::size_t* host_out);

}  // namespace zerostall::simgpu::solver
