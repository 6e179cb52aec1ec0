// cuSOLVER, cuFFT and cuSPARSE.
#include "tests/simgpu/math/kernels.h"

extern "C" {
int cusolverDnCreate(void**);
int cusolverDnDestroy(void*);
int cusolverDnSgetrf_bufferSize(void*, int, int, float*, int, int*);
int cusolverDnSgetrf(void*, int, int, float*, int, float*, int*, int*);
int cusolverDnSgesvdjBatched(void*, int, int, int, float*, int, float*, float*, int, float*, int, float*, int, int*,
                             void*, int);
int cusolverDnXgeev(void*, void*, int, int, std::int64_t, int, void*, std::int64_t, int, void*, int, void*,
                    std::int64_t, int, void*, std::int64_t, int, void*, std::size_t, void*, std::size_t, int*);

int cufftCreate(int*);
int cufftDestroy(int);
int cufftXtMakePlanMany(int, int, long long*, long long*, long long, long long, int, long long*, long long, long long,
                        int, long long, std::size_t*, int);
int cufftXtExec(int, void*, void*, int);

int cusparseCreate(void**);
int cusparseDestroy(void*);
int cusparseCreateCsr(void**, std::int64_t, std::int64_t, std::int64_t, void*, void*, void*, int, int, int, int);
int cusparseDestroySpMat(void*);
int cusparseSpMatGetSize(void*, std::int64_t*, std::int64_t*, std::int64_t*);
int cusparseSpGEMM_createDescr(void**);
int cusparseSpGEMM_destroyDescr(void*);
int cusparseSpGEMM_compute(void*, int, int, const void*, void*, void*, const void*, void*, int, int, void*,
                           std::size_t*, void*);
int cusparseCreateBsrsv2Info(void**);
int cusparseDestroyBsrsv2Info(void*);
int cusparseXbsrsv2_zeroPivot(void*, void*, int*);
}

namespace zerostall::testing {
namespace {

struct SimSolver : ::testing::Test {
  void SetUp() override { ASSERT_EQ(cusolverDnCreate(&handle), 0); }
  void TearDown() override { cusolverDnDestroy(handle); }
  void* handle = nullptr;
};

TEST_F(SimSolver, AFactorisationReportsSuccessOnTheDeviceWithoutWaiting) {
  int count = 0;
  EXPECT_EQ(cusolverDnSgetrf_bufferSize(handle, 100, 100, nullptr, 100, &count), 0);
  EXPECT_GT(count, 0);
  DeviceInts info(1);
  launch_for(kLong);
  const auto before = now();
  EXPECT_EQ(cusolverDnSgetrf(handle, 100, 100, nullptr, 100, nullptr, nullptr, info.data), 0);
  EXPECT_LT(now() - before, kLong / 2);
  EXPECT_EQ(info.read(), std::vector<int>{0});
}

TEST_F(SimSolver, ABatchReportsEachOfItsMatrices) {
  DeviceInts info(5);
  EXPECT_EQ(cusolverDnSgesvdjBatched(handle, 1, 8, 8, nullptr, 8, nullptr, nullptr, 8, nullptr, 8, nullptr, 0,
                                     info.data, nullptr, 4),
            0);
  EXPECT_EQ(info.read(), (std::vector<int>{0, 0, 0, 0, -1})) << "four, and not one more";
}

TEST_F(SimSolver, GeneralEigenvaluesNeedTheHost) {
  DeviceInts info(1);
  launch_for(kLong);
  const auto before = now();
  EXPECT_EQ(cusolverDnXgeev(handle, nullptr, 0, 1, 100, CUDA_R_32F, nullptr, 100, CUDA_C_32F, nullptr, CUDA_R_32F,
                            nullptr, 1, CUDA_R_32F, nullptr, 100, CUDA_R_32F, nullptr, 0, nullptr, 0, info.data),
            0);
  EXPECT_GE(now() - before, kLong / 2);
}

TEST(SimFft, APlanIsMadeBeforeItRunsAndIsGoneWhenDestroyed) {
  constexpr int kInvalidPlan = 1, kInvalidSize = 8;
  int plan = 0, data = 0;
  ASSERT_EQ(cufftCreate(&plan), 0);
  EXPECT_EQ(cufftXtExec(plan, &data, &data, -1), kInvalidPlan);
  long long n[] = {256, 256}, wrong[] = {0, 256};
  std::size_t bytes = 0;
  const auto make = [&](long long* dims) {
    return cufftXtMakePlanMany(plan, 2, dims, nullptr, 1, 65536, CUDA_C_32F, nullptr, 1, 65536, CUDA_C_32F, 16, &bytes,
                               CUDA_C_32F);
  };
  EXPECT_EQ(make(wrong), kInvalidSize);
  ASSERT_EQ(make(n), 0);
  EXPECT_GE(bytes, 16u * 65536 * 8) << "a pass per dimension needs room for the data";
  Kernels kernels;
  EXPECT_EQ(cufftXtExec(plan, &data, &data, -1), 0);
  EXPECT_EQ(kernels.names(), std::vector<std::string>{"sim_cufft_transform"});
  EXPECT_EQ(cufftDestroy(plan), 0);
  EXPECT_EQ(cufftXtExec(plan, &data, &data, -1), kInvalidPlan);
}

TEST(SimSparse, TheSizeOfAProductComesBackAfterAWait) {
  void *handle = nullptr, *a = nullptr, *c = nullptr, *product = nullptr;
  ASSERT_EQ(cusparseCreate(&handle), 0);
  ASSERT_EQ(cusparseCreateCsr(&a, 100, 100, 500, nullptr, nullptr, nullptr, 2, 2, 0, CUDA_R_32F), 0);
  ASSERT_EQ(cusparseCreateCsr(&c, 100, 100, 0, nullptr, nullptr, nullptr, 2, 2, 0, CUDA_R_32F), 0);
  ASSERT_EQ(cusparseSpGEMM_createDescr(&product), 0);
  std::size_t bytes = 0;
  const auto compute = [&](void* buffer) {
    return cusparseSpGEMM_compute(handle, 0, 0, nullptr, a, a, nullptr, c, CUDA_R_32F, 0, product, &bytes, buffer);
  };
  EXPECT_EQ(compute(nullptr), 0);
  EXPECT_GT(bytes, 0u);
  launch_for(kLong);
  const auto before = now();
  EXPECT_EQ(compute(&bytes), 0);
  EXPECT_GE(now() - before, kLong / 2) << "the count is known on the device only";
  std::int64_t rows = 0, columns = 0, nonzeros = 0;
  EXPECT_EQ(cusparseSpMatGetSize(c, &rows, &columns, &nonzeros), 0);
  EXPECT_EQ(nonzeros, 2500) << "500 entries meet 5 others each";
  cusparseSpGEMM_destroyDescr(product);
  cusparseDestroySpMat(a);
  cusparseDestroySpMat(c);
  cusparseDestroy(handle);
}

TEST(SimSparse, AskingForAZeroPivotWaitsAndFindsNone) {
  void *handle = nullptr, *info = nullptr;
  ASSERT_EQ(cusparseCreate(&handle), 0);
  ASSERT_EQ(cusparseCreateBsrsv2Info(&info), 0);
  launch_for(kLong);
  const auto before = now();
  int position = 0;
  EXPECT_EQ(cusparseXbsrsv2_zeroPivot(handle, info, &position), 0);
  EXPECT_EQ(position, -1);
  EXPECT_GE(now() - before, kLong / 2);
  cusparseDestroyBsrsv2Info(info);
  cusparseDestroy(handle);
}

}  // namespace
}  // namespace zerostall::testing
