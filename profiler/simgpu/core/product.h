// Shared by the simulated cuBLAS and cuBLASLt: status codes and the launch of a product.
#pragma once

namespace zerostall::simgpu {

// cublasStatus_t
inline constexpr int kBlasSuccess = 0, kBlasNotInitialized = 1, kBlasInvalidValue = 7, kBlasMappingError = 11,
                     kBlasExecutionFailed = 13, kBlasNotSupported = 15;
inline constexpr int kBlasVersion = 130100;

// Width of one number of a cudaDataType in bits; a complex one counts both its parts.
int type_bits(int data_type);
bool is_complex(int data_type);

// One product (or a batch) as a kernel launch. `bits` = width of the inputs. Returns a cublasStatus_t.
int blas_launch(const char* name, double m, double n, double k, double batch, int bits, const void* stream);

}  // namespace zerostall::simgpu
