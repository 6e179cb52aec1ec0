// The launch behind every product of cuBLAS and cuBLASLt.
#include <library_types.h>

#include "profiler/simgpu/core/product.h"
#include "profiler/simgpu/core/launch.h"

namespace zerostall::simgpu {

int type_bits(int data_type) {
  switch (data_type) {
    case CUDA_R_8I:
    case CUDA_R_8U:
    case CUDA_R_8F_E4M3:
    case CUDA_R_8F_E5M2:
      return 8;
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return 16;
    case CUDA_R_64F:
      return 64;
    default:
      return 32;
  }
}

int blas_launch(const char* name, double m, double n, double k, double batch, int bits, const void* stream) {
  const double blocks = ((m + 127) / 128) * ((n + 127) / 128) * batch;
  Launch l{name, dim3(blocks < 1 ? 1u : static_cast<unsigned>(blocks)), dim3(384), 0, stream};
  l.duration_ns = gemm_ns(m, n, k * batch, bits);
  return library_launch(l) == cudaSuccess ? kBlasSuccess : kBlasExecutionFailed;
}

}  // namespace zerostall::simgpu
