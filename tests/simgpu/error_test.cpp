// Names of errors, faults on demand, errors that stay.
#include <cuda.h>

#include <string>
#include <thread>

#include "profiler/simgpu/core/faults.h"
#include "tests/simgpu/device.h"

namespace zerostall::testing {
namespace {

struct SimFaults : ::testing::Test {
  static std::string use(const std::string& specification) {
    std::string error;
    return simgpu::set_faults(specification, &error) ? "" : error;
  }
  void TearDown() override {
    use("");
    cudaGetLastError();
  }
};

TEST(SimErrors, EveryErrorHasItsNameAndAText) {
  EXPECT_STREQ(cudaGetErrorName(cudaErrorStreamCaptureImplicit), "cudaErrorStreamCaptureImplicit");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorMapBufferObjectFailed), "map failed");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered");
  EXPECT_STREQ(cudaGetErrorName(out_of_range<cudaError_t>(12345)), "unrecognized error code");
  EXPECT_STREQ(cudaGetErrorString(out_of_range<cudaError_t>(12345)), "unrecognized error code");
  const char* text = nullptr;
  EXPECT_EQ(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_EQ(cuGetErrorString(out_of_range<CUresult>(12345), &text), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(text, nullptr);
}

TEST(SimErrors, TheLastErrorBelongsToTheThread) {
  EXPECT_EQ(cudaSetDevice(999), cudaErrorInvalidDevice);
  std::thread([] { EXPECT_EQ(cudaGetLastError(), cudaSuccess); }).join();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice) << "success does not clear it";
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(SimFaults, TheNthCallFailsAndNoOther) {
  ASSERT_EQ(use("cudaMalloc:2=cudaErrorMemoryAllocation; cudaStreamQuery:*=cudaErrorNotReady"), "");
  void *first = nullptr, *second = nullptr, *third = nullptr;
  EXPECT_EQ(cudaMalloc(&first, 16), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&second, 16), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(second, nullptr) << "the call did nothing";
  EXPECT_EQ(cudaMalloc(&third, 16), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
  cudaFree(first);
  cudaFree(third);
}

TEST_F(SimFaults, DriverFunctionsAndDriverNamesToo) {
  ASSERT_EQ(use("cuMemAlloc_v2:1=CUDA_ERROR_OUT_OF_MEMORY"), "");
  CUdeviceptr p = 0;
  EXPECT_EQ(cuMemAlloc(&p, 16), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cuMemAlloc(&p, 16), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree(p), CUDA_SUCCESS);
}

TEST_F(SimFaults, AnIllegalAddressStays) {
  ASSERT_EQ(use("cudaStreamSynchronize:1=cudaErrorIllegalAddress"), "");
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaErrorIllegalAddress);
  void* p = nullptr;
  EXPECT_EQ(cudaMalloc(&p, 16), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress) << "reading does not clear it";
  EXPECT_EQ(cudaDeviceReset(), cudaErrorIllegalAddress);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  int device = -1;
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess) << "asks nothing of the device";
}

TEST_F(SimFaults, BadSpecificationsAreNamed) {
  EXPECT_EQ(use("cudaMalloc"),
            "'cudaMalloc': needs FUNCTION:NUMBER=ERROR, such as cudaMalloc:3=cudaErrorMemoryAllocation");
  EXPECT_EQ(use("cudaFree:1=cudaErrorNotReady;cudaMalloc:x=cudaErrorUnknown"),
            "'cudaMalloc:x=cudaErrorUnknown': the number of the call is a whole number above 0, or *");
  EXPECT_EQ(use("cudaMalloc:0=cudaErrorUnknown"), "'cudaMalloc:0=cudaErrorUnknown': calls are counted from 1");
  EXPECT_EQ(use("cudaMalloc:1=Oops"), "'cudaMalloc:1=Oops': no such error");
  EXPECT_EQ(use("malloc:1=cudaErrorUnknown"), "'malloc:1=cudaErrorUnknown': no function of the CUDA runtime or driver");
}

// Functions of libraries have statuses of their own, given as numbers.
TEST_F(SimFaults, HandlesOfLibrariesFailOnDemandAndOnABrokenDevice) {
  EXPECT_EQ(use("cublasCreate_v2:2=3"), "");
  EXPECT_EQ(simgpu::library_fault("cublasCreate_v2", 1), 0);
  EXPECT_EQ(simgpu::library_fault("cublasCreate_v2", 1), 3);
  EXPECT_EQ(simgpu::library_fault("cublasCreate_v2", 1), 0);
  EXPECT_EQ(use("cudaDeviceSynchronize:1=cudaErrorIllegalAddress"), "");
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_EQ(simgpu::library_fault("cublasCreate_v2", 1), 1) << "not initialised";
}

}  // namespace
}  // namespace zerostall::testing
