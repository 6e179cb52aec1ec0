// Shared by the simulated cuBLAS and cuBLASLt: status codes and the launch of a product.
#pragma once

namespace zerostall::simgpu {

inline constexpr int kBlasSuccess = 0, kBlasExecutionFailed = 13;  // cublasStatus_t
inline constexpr int kBlasVersion = 130100;

// Width of a cudaDataType in bits.
int type_bits(int data_type);

// One product (or a batch) as a kernel launch. `bits` = width of the inputs. Returns a cublasStatus_t.
int blas_launch(const char* name, double m, double n, double k, double batch, int bits, const void* stream);

}  // namespace zerostall::simgpu
