// A cuBLAS handle and the launches behind the cuBLAS functions. Types are declared from NVIDIA's public documentation:
// the headers come only with downloads of hundreds of MB. Enumerations are passed as int, device pointers as void*.
#pragma once
#include <cstddef>
#include <cstdint>

#include "profiler/simgpu/core/library.h"
#include "profiler/simgpu/core/product.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace zerostall::simgpu::blas {

enum PointerMode { kHostPointers = 0, kDevicePointers = 1 };

struct Handle {
  const void* stream = nullptr;
  void* workspace = nullptr;  // the program's; null: cuBLAS's own, which the simulation needs no memory for
  std::size_t workspace_bytes = 0;
  int math_mode = 0;
  int pointer_mode = kHostPointers;
  int atomics_mode = 0;
  int sm_count_target = 0;
};

// Each returns a cublasStatus_t.
int vector_kernel(Handle* handle, const char* name, double bytes);
int product(Handle* handle, const char* name, double m, double n, double k, double batch, Scalar type);

// A kernel with a scalar result. With host pointers the call returns when the result is there: the host waits.
int reduction(Handle* handle, const char* name, double bytes, void* result, const void* value,
              std::size_t result_bytes);

}  // namespace zerostall::simgpu::blas
