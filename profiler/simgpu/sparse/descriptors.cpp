// Descriptors of sparse and dense matrices and vectors: they store and return what was set.
#include "profiler/simgpu/sparse/types.h"

using namespace zerostall::simgpu::sparse;

namespace {

constexpr int kCsr = 1, kCsc = 2, kCoo = 3, kBsr = 6;  // cusparseFormat_t
constexpr int kFillMode = 0, kDiagonalType = 1;        // cusparseSpMatAttribute_t

template <class Out, class Value>
void give(Out* out, Value value) {
  if (out) *out = value;
}

int create_compressed(SparseMatrix** m, int format, std::int64_t rows, std::int64_t columns, std::int64_t nonzeros,
                      void* offsets, void* indices, void* values, int offsets_type, int index_type, int base,
                      int value_type) {
  if (!m || rows < 0 || columns < 0 || nonzeros < 0) return kInvalidValue;
  *m = new SparseMatrix{format,  rows,   columns,      nonzeros,   1,    1,         offsets,
                        indices, values, offsets_type, index_type, base, value_type};
  return kSuccess;
}

}  // namespace

EXPORT int cusparseCreateCsr(SparseMatrix** m, std::int64_t rows, std::int64_t columns, std::int64_t nonzeros,
                             void* offsets, void* indices, void* values, int offsets_type, int index_type, int base,
                             int value_type) {
  return create_compressed(m, kCsr, rows, columns, nonzeros, offsets, indices, values, offsets_type, index_type, base,
                           value_type);
}
EXPORT int cusparseCreateCsc(SparseMatrix** m, std::int64_t rows, std::int64_t columns, std::int64_t nonzeros,
                             void* offsets, void* indices, void* values, int offsets_type, int index_type, int base,
                             int value_type) {
  return create_compressed(m, kCsc, rows, columns, nonzeros, offsets, indices, values, offsets_type, index_type, base,
                           value_type);
}
EXPORT int cusparseCreateCoo(SparseMatrix** m, std::int64_t rows, std::int64_t columns, std::int64_t nonzeros,
                             void* row_indices, void* column_indices, void* values, int index_type, int base,
                             int value_type) {
  return create_compressed(m, kCoo, rows, columns, nonzeros, row_indices, column_indices, values, index_type,
                           index_type, base, value_type);
}
EXPORT int cusparseCreateBsr(SparseMatrix** m, std::int64_t rows, std::int64_t columns, std::int64_t nonzeros,
                             std::int64_t block_rows, std::int64_t block_columns, void* offsets, void* indices,
                             void* values, int offsets_type, int index_type, int base, int value_type, int) {
  if (block_rows < 1 || block_columns < 1) return kInvalidValue;
  const int status = create_compressed(m, kBsr, rows, columns, nonzeros, offsets, indices, values, offsets_type,
                                       index_type, base, value_type);
  if (status != kSuccess) return status;
  (*m)->block_rows = block_rows;
  (*m)->block_columns = block_columns;
  return kSuccess;
}
EXPORT int cusparseDestroySpMat(const SparseMatrix* m) {
  delete m;
  return kSuccess;
}
EXPORT int cusparseCsrGet(SparseMatrix* m, std::int64_t* rows, std::int64_t* columns, std::int64_t* nonzeros,
                          void** offsets, void** indices, void** values, int* offsets_type, int* index_type, int* base,
                          int* value_type) {
  if (!m) return kInvalidValue;
  give(rows, m->rows);
  give(columns, m->columns);
  give(nonzeros, m->nonzeros);
  give(offsets, m->offsets);
  give(indices, m->indices);
  give(values, m->values);
  give(offsets_type, m->offsets_type);
  give(index_type, m->index_type);
  give(base, m->base);
  give(value_type, m->value_type);
  return kSuccess;
}
EXPORT int cusparseCsrSetPointers(SparseMatrix* m, void* offsets, void* indices, void* values) {
  if (!m) return kInvalidValue;
  m->offsets = offsets;
  m->indices = indices;
  m->values = values;
  return kSuccess;
}
EXPORT int cusparseCsrSetStridedBatch(SparseMatrix* m, int batch, std::int64_t offsets_stride,
                                      std::int64_t values_stride) {
  if (!m || batch < 1) return kInvalidValue;
  m->batch = batch;
  m->offsets_stride = offsets_stride;
  m->values_stride = values_stride;
  return kSuccess;
}
EXPORT int cusparseCooSetStridedBatch(SparseMatrix* m, int batch, std::int64_t stride) {
  return cusparseCsrSetStridedBatch(m, batch, stride, stride);
}
EXPORT int cusparseSpMatGetSize(const SparseMatrix* m, std::int64_t* rows, std::int64_t* columns,
                                std::int64_t* nonzeros) {
  if (!m) return kInvalidValue;
  give(rows, m->rows);
  give(columns, m->columns);
  give(nonzeros, m->nonzeros);
  return kSuccess;
}
EXPORT int cusparseSpMatGetFormat(const SparseMatrix* m, int* format) {
  if (!m || !format) return kInvalidValue;
  *format = m->format;
  return kSuccess;
}
EXPORT int cusparseSpMatGetValues(SparseMatrix* m, void** values) {
  if (!m || !values) return kInvalidValue;
  *values = m->values;
  return kSuccess;
}
EXPORT int cusparseSpMatSetValues(SparseMatrix* m, void* values) {
  if (!m) return kInvalidValue;
  m->values = values;
  return kSuccess;
}
EXPORT int cusparseSpMatSetAttribute(SparseMatrix* m, int attribute, void* data, std::size_t bytes) {
  if (!m || !data || bytes != sizeof(int)) return kInvalidValue;
  if (attribute != kFillMode && attribute != kDiagonalType) return kInvalidValue;
  (attribute == kFillMode ? m->fill_mode : m->diagonal_type) = *static_cast<int*>(data);
  return kSuccess;
}
EXPORT int cusparseSpMatGetAttribute(const SparseMatrix* m, int attribute, void* data, std::size_t bytes) {
  if (!m || !data || bytes != sizeof(int)) return kInvalidValue;
  if (attribute != kFillMode && attribute != kDiagonalType) return kInvalidValue;
  *static_cast<int*>(data) = attribute == kFillMode ? m->fill_mode : m->diagonal_type;
  return kSuccess;
}

EXPORT int cusparseCreateDnMat(DenseMatrix** m, std::int64_t rows, std::int64_t columns, std::int64_t leading,
                               void* values, int value_type, int order) {
  if (!m || rows < 0 || columns < 0) return kInvalidValue;
  *m = new DenseMatrix{rows, columns, leading, values, value_type, order};
  return kSuccess;
}
EXPORT int cusparseDestroyDnMat(const DenseMatrix* m) {
  delete m;
  return kSuccess;
}
EXPORT int cusparseDnMatGet(DenseMatrix* m, std::int64_t* rows, std::int64_t* columns, std::int64_t* leading,
                            void** values, int* value_type, int* order) {
  if (!m) return kInvalidValue;
  give(rows, m->rows);
  give(columns, m->columns);
  give(leading, m->leading);
  give(values, m->values);
  give(value_type, m->value_type);
  give(order, m->order);
  return kSuccess;
}
EXPORT int cusparseDnMatSetStridedBatch(DenseMatrix* m, int batch, std::int64_t stride) {
  if (!m || batch < 1) return kInvalidValue;
  m->batch = batch;
  m->stride = stride;
  return kSuccess;
}
EXPORT int cusparseCreateDnVec(DenseVector** v, std::int64_t size, void* values, int value_type) {
  if (!v || size < 0) return kInvalidValue;
  *v = new DenseVector{size, values, value_type};
  return kSuccess;
}
EXPORT int cusparseDestroyDnVec(const DenseVector* v) {
  delete v;
  return kSuccess;
}
EXPORT int cusparseDnVecGet(DenseVector* v, std::int64_t* size, void** values, int* value_type) {
  if (!v) return kInvalidValue;
  give(size, v->size);
  give(values, v->values);
  give(value_type, v->value_type);
  return kSuccess;
}
