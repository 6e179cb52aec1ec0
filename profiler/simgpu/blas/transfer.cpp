// Copies of matrices and vectors between host and device. Elements that lie apart are copied column by column, as
// memory allows no shorter way in the simulation; each column is one copy of the runtime.
#include <algorithm>
#include <cstring>

#include "profiler/simgpu/blas/handle.h"
#include "profiler/simgpu/core/copy.h"

using namespace zerostall::simgpu;
using namespace zerostall::simgpu::blas;

namespace {

int copy_rows(std::size_t rows, std::size_t row_bytes, const void* from, std::size_t from_pitch, void* to,
              std::size_t to_pitch, const void* stream, bool async) {
  if (from_pitch == row_bytes && to_pitch == row_bytes) {
    row_bytes *= rows;
    rows = std::min<std::size_t>(rows, 1);
  }
  for (std::size_t r = 0; r < rows; ++r) {
    const CopyRequest request{static_cast<char*>(to) + r * to_pitch,
                              static_cast<const char*>(from) + r * from_pitch,
                              row_bytes,
                              stream,
                              async,
                              "cudaMemcpy2DAsync"};
    if (copy(request) != CopyStatus::ok) return kBlasMappingError;
  }
  return kBlasSuccess;
}

int copy_matrix(int rows, int columns, int element, const void* a, int lda, void* b, int ldb, const void* stream,
                bool async) {
  if (rows < 0 || columns < 0 || element <= 0 || lda <= 0 || ldb <= 0) return kBlasInvalidValue;
  const auto bytes = [&](int n) { return std::size_t(n) * std::size_t(element); };
  return copy_rows(std::size_t(columns), bytes(rows), a, bytes(lda), b, bytes(ldb), stream, async);
}

int copy_vector(int n, int element, const void* x, int incx, void* y, int incy, const void* stream, bool async) {
  if (n < 0 || element <= 0 || incx <= 0 || incy <= 0) return kBlasInvalidValue;
  const auto bytes = [&](int k) { return std::size_t(k) * std::size_t(element); };
  return copy_rows(std::size_t(n), bytes(1), x, bytes(incx), y, bytes(incy), stream, async);
}

}  // namespace

EXPORT int cublasSetMatrix(int rows, int columns, int element, const void* a, int lda, void* b, int ldb) {
  return copy_matrix(rows, columns, element, a, lda, b, ldb, nullptr, false);
}
EXPORT int cublasGetMatrix(int rows, int columns, int element, const void* a, int lda, void* b, int ldb) {
  return copy_matrix(rows, columns, element, a, lda, b, ldb, nullptr, false);
}
EXPORT int cublasSetMatrixAsync(int rows, int columns, int element, const void* a, int lda, void* b, int ldb,
                                const void* stream) {
  return copy_matrix(rows, columns, element, a, lda, b, ldb, stream, true);
}
EXPORT int cublasGetMatrixAsync(int rows, int columns, int element, const void* a, int lda, void* b, int ldb,
                                const void* stream) {
  return copy_matrix(rows, columns, element, a, lda, b, ldb, stream, true);
}
EXPORT int cublasSetVector(int n, int element, const void* x, int incx, void* y, int incy) {
  return copy_vector(n, element, x, incx, y, incy, nullptr, false);
}
EXPORT int cublasGetVector(int n, int element, const void* x, int incx, void* y, int incy) {
  return copy_vector(n, element, x, incx, y, incy, nullptr, false);
}
EXPORT int cublasSetVectorAsync(int n, int element, const void* x, int incx, void* y, int incy, const void* stream) {
  return copy_vector(n, element, x, incx, y, incy, stream, true);
}
EXPORT int cublasGetVectorAsync(int n, int element, const void* x, int incx, void* y, int incy, const void* stream) {
  return copy_vector(n, element, x, incx, y, incy, stream, true);
}
