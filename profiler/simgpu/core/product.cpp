// The launch behind every product of cuBLAS and cuBLASLt.
#include "profiler/simgpu/core/product.h"

#include <library_types.h>

#include "profiler/simgpu/core/launch.h"

namespace zerostall::simgpu {

int type_bits(int data_type) {
  switch (data_type) {
    case CUDA_R_4F_E2M1:
    case CUDA_R_4I:
    case CUDA_R_4U:
      return 4;
    case CUDA_R_8I:
    case CUDA_R_8U:
    case CUDA_R_8F_E4M3:
    case CUDA_R_8F_E5M2:
    case CUDA_R_8F_UE8M0:
      return 8;
    case CUDA_R_16F:
    case CUDA_R_16BF:
    case CUDA_R_16I:
    case CUDA_R_16U:
    case CUDA_C_8I:
    case CUDA_C_8U:
      return 16;
    case CUDA_R_64F:
    case CUDA_R_64I:
    case CUDA_R_64U:
    case CUDA_C_32F:
    case CUDA_C_32I:
    case CUDA_C_32U:
      return 64;
    case CUDA_C_64F:
    case CUDA_C_64I:
    case CUDA_C_64U:
      return 128;
    default:
      return 32;
  }
}

bool is_complex(int data_type) {
  switch (data_type) {
    case CUDA_C_16F:
    case CUDA_C_16BF:
    case CUDA_C_8I:
    case CUDA_C_8U:
    case CUDA_C_32F:
    case CUDA_C_32I:
    case CUDA_C_32U:
    case CUDA_C_64F:
    case CUDA_C_64I:
    case CUDA_C_64U:
      return true;
    default:
      return false;
  }
}

int blas_launch(const char* name, double m, double n, double k, double batch, int bits, const void* stream) {
  const double blocks = ((m + 127) / 128) * ((n + 127) / 128) * batch;
  Launch l{name, dim3(blocks < 1 ? 1u : static_cast<unsigned>(blocks)), dim3(384), 0, stream};
  l.duration_ns = gemm_ns(m, n, k * batch, bits);
  return library_launch(l) == cudaSuccess ? kBlasSuccess : kBlasExecutionFailed;
}

}  // namespace zerostall::simgpu
