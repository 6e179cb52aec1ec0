#include "profiler/tracer/selection.h"

#include <gtest/gtest.h>

namespace zerostall::tracer {
namespace {

TEST(Selection, StripsVersionAndPerThreadSuffixButKeepsTheDriversOwn) {
  EXPECT_EQ(base_name("cudaMalloc_v3020"), "cudaMalloc");
  EXPECT_EQ(base_name("cudaMemcpyAsync_ptsz_v7000"), "cudaMemcpyAsync");
  EXPECT_EQ(base_name("cuMemcpyHtoD_v2"), "cuMemcpyHtoD_v2");
  EXPECT_EQ(base_name("cuMemcpyHtoD_v2_ptds"), "cuMemcpyHtoD_v2");
  EXPECT_EQ(base_name(""), "");
}

TEST(Selection, RecordsWhatWaitsCopiesAllocatesAndLaunches) {
  for (const char* name : {"cudaStreamSynchronize_v3020", "cudaStreamSynchronize_ptsz_v7000", "cudaDeviceSynchronize_v3020",
                           "cudaEventSynchronize_v3020", "cudaMemcpy_v3020", "cudaMemcpyAsync_v3020", "cuMemcpyHtoD_v2",
                           "cuMemcpyHtoD_v2_ptds", "cuStreamSynchronize", "cuStreamSynchronize_ptsz", "cuCtxSynchronize",
                           "cuCtxSynchronize_v2", "cudaMalloc_v3020", "cudaFree_v3020", "cudaHostAlloc_v3020",
                           "__cudaLaunchKernel_v13000", "cudaLaunchKernel_v7000", "cudaLaunchKernelExC_v11060",
                           "cudaGraphLaunch_v10000", "cuLaunchKernelEx", "cudaEventQuery_v3020", "cuMemcpyBatchAsync_v2"})
    EXPECT_TRUE(is_recorded(name)) << name;
}

TEST(Selection, LeavesCheapAndStreamOrderedCallsAlone) {
  for (const char* name : {"cudaGetDevice_v3020", "cudaGetLastError_v3020", "cudaMallocAsync_v11020", "cudaFreeAsync_v11020",
                           "cudaStreamCreate_v3020", "cuCtxGetCurrent", "cudaFuncGetAttributes_v3020", "cudaMemcpyxyz_v3020"})
    EXPECT_FALSE(is_recorded(name)) << name;
}

}  // namespace
}  // namespace zerostall::tracer
