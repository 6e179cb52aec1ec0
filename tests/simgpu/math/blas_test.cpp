// cuBLAS and cuBLASLt.
#include "tests/simgpu/math/kernels.h"

extern "C" {
int cublasCreate_v2(void**);
int cublasDestroy_v2(void*);
int cublasSetStream_v2(void*, cudaStream_t);
int cublasGetStream_v2(void*, cudaStream_t*);
int cublasSetPointerMode_v2(void*, int);
int cublasGetPointerMode_v2(void*, int*);
int cublasSetMathMode(void*, int);
int cublasGetMathMode(void*, int*);
int cublasSetSmCountTarget(void*, int);
int cublasGetSmCountTarget(void*, int*);
int cublasSdot_v2(void*, int, const float*, int, const float*, int, float*);
int cublasIsamax_v2(void*, int, const float*, int, int*);
int cublasSgemm_v2(void*, int, int, int, int, int, const float*, const float*, int, const float*, int, const float*,
                   float*, int);
int cublasSgetrfBatched(void*, int, float* const*, int, int*, int*, int);

int cublasLtMatmulDescCreate(void**, int, int);
int cublasLtMatmulDescDestroy(void*);
int cublasLtMatmulDescSetAttribute(void*, int, const void*, std::size_t);
int cublasLtMatmulDescGetAttribute(void*, int, void*, std::size_t, std::size_t*);
int cublasLtMatrixLayoutCreate(void**, int, std::uint64_t, std::uint64_t, std::int64_t);
int cublasLtMatrixLayoutDestroy(void*);
int cublasLtMatmulPreferenceCreate(void**);
int cublasLtMatmulPreferenceDestroy(void*);
int cublasLtMatmulAlgoGetHeuristic(void*, void*, void*, void*, void*, void*, void*, int, void*, int*);
}

namespace zerostall::testing {
namespace {

constexpr int kNotInitialized = 1, kInvalidValue = 7, kNotSupported = 15;
constexpr int kDevicePointers = 1;

struct SimBlas : ::testing::Test {
  void SetUp() override { ASSERT_EQ(cublasCreate_v2(&handle), 0); }
  void TearDown() override { EXPECT_EQ(cublasDestroy_v2(handle), 0); }
  int product(int m, int n, int k) {
    return cublasSgemm_v2(handle, 0, 0, m, n, k, nullptr, nullptr, m, nullptr, k, nullptr, nullptr, m);
  }
  void* handle = nullptr;
};

TEST_F(SimBlas, SettingsComeBack) {
  int value = -1;
  EXPECT_EQ(cublasSetMathMode(handle, 3), 0);
  EXPECT_EQ(cublasGetMathMode(handle, &value), 0);
  EXPECT_EQ(value, 3);
  EXPECT_EQ(cublasSetSmCountTarget(handle, 64), 0);
  EXPECT_EQ(cublasGetSmCountTarget(handle, &value), 0);
  EXPECT_EQ(value, 64);
  EXPECT_EQ(cublasGetPointerMode_v2(handle, &value), 0);
  EXPECT_EQ(value, 0) << "host pointers are the default";
  cudaStream_t stream = nullptr, found = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(cublasSetStream_v2(handle, stream), 0);
  EXPECT_EQ(cublasGetStream_v2(handle, &found), 0);
  EXPECT_EQ(found, stream);
  EXPECT_EQ(cublasSetMathMode(nullptr, 0), kNotInitialized);
}

TEST_F(SimBlas, AScalarResultInHostMemoryMakesTheHostWait) {
  launch_for(kLong);
  float result = 5;
  const auto before = now();
  EXPECT_EQ(cublasSdot_v2(handle, 1000, nullptr, 1, nullptr, 1, &result), 0);
  EXPECT_GE(now() - before, kLong / 2);
  EXPECT_EQ(result, 0.0f);
}

TEST_F(SimBlas, AScalarResultInDeviceMemoryDoesNot) {
  DeviceInts result(1);
  ASSERT_EQ(cublasSetPointerMode_v2(handle, kDevicePointers), 0);
  launch_for(kLong);
  const auto before = now();
  EXPECT_EQ(cublasSdot_v2(handle, 1000, nullptr, 1, nullptr, 1, reinterpret_cast<float*>(result.data)), 0);
  EXPECT_LT(now() - before, kLong / 2);
}

TEST_F(SimBlas, TheLargestOfZerosIsTheFirst) {
  int index = 0;
  EXPECT_EQ(cublasIsamax_v2(handle, 10, nullptr, 1, &index), 0);
  EXPECT_EQ(index, 1) << "indices count from one";
}

TEST_F(SimBlas, AProductTakesTimeByItsDimensions) {
  Kernels kernels;
  ASSERT_EQ(product(4096, 4096, 4096), 0);
  const auto once = kernels.last_ns();
  ASSERT_EQ(product(4096, 4096, 8192), 0);
  EXPECT_NEAR(double(kernels.last_ns()), 2.0 * double(once), 0.01 * double(once));
  EXPECT_EQ(kernels.names()[0], "sim_cublas_sgemm");
  EXPECT_EQ(product(0, 8, 8), 0);
  EXPECT_EQ(kernels.kernels.size(), 2u) << "nothing to do: no kernel";
  EXPECT_EQ(product(-1, 8, 8), kInvalidValue);
}

TEST_F(SimBlas, BatchedFactorisationsReportSuccessOnTheDevice) {
  DeviceInts info(3);
  EXPECT_EQ(cublasSgetrfBatched(handle, 8, nullptr, 8, nullptr, info.data, 3), 0);
  EXPECT_EQ(info.read(), (std::vector<int>{0, 0, 0}));
}

struct SimBlasLt : SimBlas {
  void SetUp() override {
    SimBlas::SetUp();
    ASSERT_EQ(cublasLtMatmulDescCreate(&product, 68, 0), 0);
    ASSERT_EQ(cublasLtMatmulPreferenceCreate(&preference), 0);
  }
  void TearDown() override {
    cublasLtMatmulDescDestroy(product);
    cublasLtMatmulPreferenceDestroy(preference);
    SimBlas::TearDown();
  }
  // Asks for an algorithm for (m x k) times (k x n).
  int heuristic(int type, std::uint64_t a_rows, std::uint64_t a_columns, std::uint64_t b_rows, std::uint64_t b_columns,
                std::uint64_t m, std::uint64_t n) {
    void *a = nullptr, *b = nullptr, *c = nullptr;
    cublasLtMatrixLayoutCreate(&a, type, a_rows, a_columns, 64);
    cublasLtMatrixLayoutCreate(&b, type, b_rows, b_columns, 64);
    cublasLtMatrixLayoutCreate(&c, CUDA_R_16BF, m, n, 64);
    found = -1;
    const int status = cublasLtMatmulAlgoGetHeuristic(handle, product, a, b, c, c, preference, 1, results, &found);
    for (void* layout : {a, b, c}) cublasLtMatrixLayoutDestroy(layout);
    return status;
  }
  void transpose_a() {
    const int transposed = 1;
    ASSERT_EQ(cublasLtMatmulDescSetAttribute(product, 3, &transposed, sizeof transposed), 0);
  }
  void *product = nullptr, *preference = nullptr;
  std::uint64_t results[16] = {};
  int found = 0;
};

TEST_F(SimBlasLt, AttributesHaveASizeAndComeBack) {
  const void* pointer = &found;
  EXPECT_EQ(cublasLtMatmulDescSetAttribute(product, 17, &pointer, sizeof pointer), 0);
  EXPECT_EQ(cublasLtMatmulDescSetAttribute(product, 17, &pointer, 4), kInvalidValue);
  EXPECT_EQ(cublasLtMatmulDescSetAttribute(product, 16, &pointer, 8), kInvalidValue) << "no such attribute";
  const void* back = nullptr;
  std::size_t written = 0;
  EXPECT_EQ(cublasLtMatmulDescGetAttribute(product, 17, &back, sizeof back, &written), 0);
  EXPECT_EQ(back, pointer);
  EXPECT_EQ(written, 8u);
  int epilogue = 0;
  EXPECT_EQ(cublasLtMatmulDescGetAttribute(product, 7, &epilogue, sizeof epilogue, nullptr), 0);
  EXPECT_EQ(epilogue, 1) << "default";
}

TEST_F(SimBlasLt, HeuristicsFindAnAlgorithmForShapesThatFit) {
  EXPECT_EQ(heuristic(CUDA_R_16BF, 32, 64, 64, 16, 32, 16), 0);
  EXPECT_EQ(found, 1);
  EXPECT_EQ(heuristic(CUDA_R_16BF, 32, 64, 32, 16, 32, 16), kInvalidValue) << "inner dimensions differ";
}

TEST_F(SimBlasLt, EightBitFloatsWantTheFirstMatrixTransposed) {
  EXPECT_EQ(heuristic(CUDA_R_8F_E4M3, 32, 64, 64, 16, 32, 16), kNotSupported);
  transpose_a();
  EXPECT_EQ(heuristic(CUDA_R_8F_E4M3, 64, 32, 64, 16, 32, 16), 0);
}

}  // namespace
}  // namespace zerostall::testing
