// Products with sparse matrices (generic interface). A product reads the sparse operand once, the rows of the dense one
// that its nonzeros name, and reads and writes the result.
#include <algorithm>
#include <cmath>

#include "profiler/simgpu/core/product.h"
#include "profiler/simgpu/sparse/types.h"

using namespace zerostall::simgpu;
using namespace zerostall::simgpu::sparse;

namespace {

// How many nonzeros the result of a sparse product has is known on a GPU only. Here: as many as scattered operands
// would give on average, so that sizes which the program reads back are plausible.
std::int64_t product_nonzeros(const SparseMatrix& a, const SparseMatrix& b) {
  const double pairs = double(a.nonzeros) * double(b.nonzeros) / double(std::max<std::int64_t>(1, a.columns));
  return static_cast<std::int64_t>(std::min(std::ceil(pairs), double(a.rows) * double(b.columns)));
}

int give_size(double bytes, std::size_t* out) {
  if (!out) return kInvalidValue;
  *out = static_cast<std::size_t>(bytes);
  return kSuccess;
}

struct SpGemm {
  std::int64_t nonzeros = 0;
};
struct Solve {  // cusparseSpSVDescr_t and cusparseSpSMDescr_t
  bool analysed = false;
};

double gathered(const SparseMatrix& a, double columns, int value_type) {
  return double(a.nonzeros) * double(a.block_columns) * columns * type_bits(value_type) / 8;
}

}  // namespace

EXPORT int cusparseSpMV_bufferSize(Handle*, int, const void*, const SparseMatrix* a, const DenseVector*, const void*,
                                   DenseVector*, int, int, std::size_t* size) {
  return a ? give_size(double(a->rows + 1) * 4, size) : kInvalidValue;
}
EXPORT int cusparseSpMV(Handle* h, int, const void*, const SparseMatrix* a, const DenseVector* x, const void*,
                        DenseVector* y, int, int, void*) {
  if (!a || !x || !y) return kInvalidValue;
  return kernel(h, "sim_cusparse_spmv", bytes(*a) + gathered(*a, 1, x->value_type) + 2 * bytes(*y));
}

EXPORT int cusparseSpMM_bufferSize(Handle*, int, int, const void*, const SparseMatrix* a, const DenseMatrix*,
                                   const void*, DenseMatrix*, int, int, std::size_t* size) {
  return a ? give_size(double(a->rows + 1) * 4, size) : kInvalidValue;
}
EXPORT int cusparseSpMM_preprocess(Handle*, int, int, const void*, const SparseMatrix* a, const DenseMatrix* b,
                                   const void*, DenseMatrix* c, int, int, void*) {
  return a && b && c ? kSuccess : kInvalidValue;
}
EXPORT int cusparseSpMM(Handle* h, int, int, const void*, const SparseMatrix* a, const DenseMatrix* b, const void*,
                        DenseMatrix* c, int, int, void*) {
  if (!a || !b || !c) return kInvalidValue;
  const double read = bytes(*a) + gathered(*a, double(c->columns) * c->batch, b->value_type);
  return kernel(h, "sim_cusparse_spmm", read + 2 * bytes(*c));
}

EXPORT int cusparseSDDMM_bufferSize(Handle*, int, int, const void*, const DenseMatrix*, const DenseMatrix*, const void*,
                                    SparseMatrix* c, int, int, std::size_t* size) {
  return c ? give_size(double(c->rows + 1) * 4, size) : kInvalidValue;
}
EXPORT int cusparseSDDMM_preprocess(Handle*, int, int, const void*, const DenseMatrix* a, const DenseMatrix* b,
                                    const void*, SparseMatrix* c, int, int, void*) {
  return a && b && c ? kSuccess : kInvalidValue;
}
EXPORT int cusparseSDDMM(Handle* h, int, int, const void*, const DenseMatrix* a, const DenseMatrix* b, const void*,
                         SparseMatrix* c, int, int, void*) {
  if (!a || !b || !c) return kInvalidValue;
  return kernel(h, "sim_cusparse_sddmm", bytes(*a) + bytes(*b) + 2 * bytes(*c));
}

EXPORT int cusparseSpGEMM_createDescr(SpGemm** d) { return create(d); }
EXPORT int cusparseSpGEMM_destroyDescr(SpGemm* d) {
  delete d;
  return kSuccess;
}
// Called twice: without a buffer for its size, then with it. Both steps bring counts back to the host: they wait.
EXPORT int cusparseSpGEMM_workEstimation(Handle* h, int, int, const void*, const SparseMatrix* a, const SparseMatrix* b,
                                         const void*, SparseMatrix* c, int, int, SpGemm* d, std::size_t* size,
                                         void* buffer) {
  if (!h || !a || !b || !c || !d) return kInvalidValue;
  if (!buffer) return give_size(double(a->rows + 1) * 8, size);
  if (const int status = kernel(h, "sim_cusparse_spgemm_estimate", bytes(*a) + bytes(*b))) return status;
  d->nonzeros = product_nonzeros(*a, *b);
  return library_wait(h->stream) == cudaSuccess ? kSuccess : kExecutionFailed;
}
EXPORT int cusparseSpGEMM_compute(Handle* h, int, int, const void*, const SparseMatrix* a, const SparseMatrix* b,
                                  const void*, SparseMatrix* c, int, int, SpGemm* d, std::size_t* size, void* buffer) {
  if (!h || !a || !b || !c || !d) return kInvalidValue;
  d->nonzeros = product_nonzeros(*a, *b);
  const double result = double(d->nonzeros) * (type_bits(c->value_type) / 8.0 + 8);
  if (!buffer) return give_size(result, size);
  if (const int status = kernel(h, "sim_cusparse_spgemm_compute", bytes(*a) + bytes(*b) + result)) return status;
  c->nonzeros = d->nonzeros;
  return library_wait(h->stream) == cudaSuccess ? kSuccess : kExecutionFailed;
}
EXPORT int cusparseSpGEMM_copy(Handle* h, int, int, const void*, const SparseMatrix* a, const SparseMatrix* b,
                               const void*, SparseMatrix* c, int, int, SpGemm* d) {
  if (!a || !b || !c || !d) return kInvalidValue;
  return kernel(h, "sim_cusparse_spgemm_copy", 2 * bytes(*c));
}

EXPORT int cusparseSpSV_createDescr(Solve** d) { return create(d); }
EXPORT int cusparseSpSV_destroyDescr(Solve* d) {
  delete d;
  return kSuccess;
}
EXPORT int cusparseSpSV_bufferSize(Handle*, int, const void*, const SparseMatrix* a, const DenseVector*, DenseVector*,
                                   int, int, Solve*, std::size_t* size) {
  return a ? give_size(double(a->rows) * 16 + double(a->nonzeros) * 4, size) : kInvalidValue;
}
EXPORT int cusparseSpSV_analysis(Handle* h, int, const void*, const SparseMatrix* a, const DenseVector*, DenseVector*,
                                 int, int, Solve* d, void*) {
  if (!a || !d) return kInvalidValue;
  d->analysed = true;
  return kernel(h, "sim_cusparse_spsv_analysis", bytes(*a));
}
EXPORT int cusparseSpSV_solve(Handle* h, int, const void*, const SparseMatrix* a, const DenseVector* x, DenseVector* y,
                              int, int, Solve* d) {
  if (!a || !x || !y || !d || !d->analysed) return kInvalidValue;
  return kernel(h, "sim_cusparse_spsv_solve", bytes(*a) + bytes(*x) + bytes(*y));
}
EXPORT int cusparseSpSM_createDescr(Solve** d) { return create(d); }
EXPORT int cusparseSpSM_destroyDescr(Solve* d) {
  delete d;
  return kSuccess;
}
EXPORT int cusparseSpSM_bufferSize(Handle*, int, int, const void*, const SparseMatrix* a, const DenseMatrix* b,
                                   DenseMatrix*, int, int, Solve*, std::size_t* size) {
  return a && b ? give_size(double(a->rows) * 16 + bytes(*b), size) : kInvalidValue;
}
EXPORT int cusparseSpSM_analysis(Handle* h, int, int, const void*, const SparseMatrix* a, const DenseMatrix*,
                                 DenseMatrix*, int, int, Solve* d, void*) {
  if (!a || !d) return kInvalidValue;
  d->analysed = true;
  return kernel(h, "sim_cusparse_spsm_analysis", bytes(*a));
}
EXPORT int cusparseSpSM_solve(Handle* h, int, int, const void*, const SparseMatrix* a, const DenseMatrix* b,
                              DenseMatrix* c, int, int, Solve* d) {
  if (!a || !b || !c || !d || !d->analysed) return kInvalidValue;
  return kernel(h, "sim_cusparse_spsm_solve", bytes(*a) + bytes(*b) + bytes(*c));
}
