// Types of the simulated cuSPARSE, declared from NVIDIA's public documentation. Enumerations are passed as int.
#pragma once
#include <cstddef>
#include <cstdint>

#include "profiler/simgpu/core/library.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace zerostall::simgpu::sparse {

// cusparseStatus_t
inline constexpr int kSuccess = 0, kNotInitialized = 1, kInvalidValue = 3, kExecutionFailed = 6, kNotSupported = 10;

struct Handle {
  const void* stream = nullptr;
  int pointer_mode = 0;  // 0: host
};

struct SparseMatrix {
  int format = 0;  // cusparseFormat_t
  std::int64_t rows = 0, columns = 0, nonzeros = 0;
  std::int64_t block_rows = 1, block_columns = 1;                  // BSR: sizes above count blocks
  void *offsets = nullptr, *indices = nullptr, *values = nullptr;  // COO: rows, columns, values
  int offsets_type = 0, index_type = 0, base = 0, value_type = 0;
  int batch = 1;
  std::int64_t offsets_stride = 0, values_stride = 0;
  int fill_mode = 0, diagonal_type = 0;
};
struct DenseMatrix {
  std::int64_t rows = 0, columns = 0, leading = 0;
  void* values = nullptr;
  int value_type = 0, order = 0;
  int batch = 1;
  std::int64_t stride = 0;
};
struct DenseVector {
  std::int64_t size = 0;
  void* values = nullptr;
  int value_type = 0;
};
struct Legacy {  // cusparseMatDescr_t
  int type = 0, fill_mode = 0, diagonal_type = 0, base = 0;
};

double bytes(const SparseMatrix& m);
double bytes(const DenseMatrix& m);
double bytes(const DenseVector& v);

// Queues one kernel; returns a cusparseStatus_t.
int kernel(const Handle* handle, const char* name, double bytes);

template <class T>
int create(T** out) {
  if (!out) return kInvalidValue;
  *out = new T{};
  return kSuccess;
}

}  // namespace zerostall::simgpu::sparse
