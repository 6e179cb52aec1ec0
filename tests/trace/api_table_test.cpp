#include "profiler/trace/api_table.h"

#include <gtest/gtest.h>

#include <set>

namespace zerostall {
namespace {

TEST(StripVersion, CutsLongVersionsAndThreadVariantsOnly) {
  EXPECT_EQ(strip_version("cudaStreamSynchronize_v3020"), "cudaStreamSynchronize");
  EXPECT_EQ(strip_version("cudaMemcpyAsync_ptsz_v7000"), "cudaMemcpyAsync");
  EXPECT_EQ(strip_version("cuMemcpyHtoDAsync_v2_ptsz"), "cuMemcpyHtoDAsync_v2");
  EXPECT_EQ(strip_version("cuMemcpyHtoD_v2_ptds"), "cuMemcpyHtoD_v2");
  EXPECT_EQ(strip_version("cudaMalloc"), "cudaMalloc");
  EXPECT_EQ(strip_version("_v3020"), "");
  EXPECT_EQ(strip_version("cuda_v12x4"), "cuda_v12x4");
}

TEST(FindApi, KnowsCallsUnderEveryVariantOfTheirName) {
  EXPECT_EQ(find_api("cudaStreamSynchronize_ptsz_v7000").kind, ApiKind::stream_sync);
  EXPECT_EQ(find_api("cuCtxSynchronize_v2").kind, ApiKind::device_sync);
  EXPECT_EQ(find_api("cudaThreadSynchronize_v3020").kind, ApiKind::device_sync);
  EXPECT_EQ(find_api("cuEventSynchronize").kind, ApiKind::event_sync);
  EXPECT_EQ(find_api("cuMemAlloc_v2").kind, ApiKind::implicit);
  EXPECT_EQ(find_api("__cudaLaunchKernel_ptsz").kind, ApiKind::launch);
  EXPECT_EQ(find_api("cuMemcpyDtoHAsync_v2_ptsz").direction, CopyDirection::device_to_host);
  EXPECT_TRUE(find_api("cuMemcpyDtoHAsync_v2_ptsz").async);
  EXPECT_FALSE(find_api("cudaMemcpy_v3020").async);
}

TEST(FindApi, LeavesStreamOrderedAndUnknownCallsAlone) {
  for (const char* name :
       {"cudaMallocAsync", "cudaFreeAsync", "cudaStreamEndCapture", "cudaLaunchHostFunc", "cudaGetDevice", ""})
    EXPECT_EQ(find_api(name).kind, ApiKind::other) << name;
  for (const char* name : {"cudaStreamWaitEvent_ptsz_v7000", "cuStreamWaitValue32_v2", "cuStreamBatchMemOp",
                           "cuWaitExternalSemaphoresAsync_ptsz", "cuCtxWaitEvent"})
    EXPECT_EQ(find_api(name).kind, ApiKind::stream_wait) << name;
}

TEST(FindApi, KnowsGraphLaunchesResetsAndTheNamesOfTheFirst64Bits) {
  EXPECT_EQ(find_api("cudaGraphLaunch_ptsz_v10000").kind, ApiKind::graph_launch);
  EXPECT_TRUE(is_launch(find_api("cuGraphLaunch").kind));
  EXPECT_EQ(find_api("cudaDeviceReset_v3020").kind, ApiKind::implicit);
  EXPECT_EQ(find_api("cu64MemcpyDtoH").direction, CopyDirection::device_to_host);
  EXPECT_EQ(find_api("cudaMemcpy3DWithAttributesAsync_v13020").kind, ApiKind::copy) << "CUDA 13.2";
  EXPECT_TRUE(find_api("cudaMemsetAsync_v3020").async);
  EXPECT_FALSE(find_api("cudaMemset_ptds_v7000").async);
}

TEST(IsKnownApi, TellsUninterestingCallsFromUnknownOnes) {
  for (const char* name : {"cudaGetDevice_v3020", "cudaMallocAsync_ptsz_v11020", "cuMemFreeAsync", "cuCtxCreate_v4",
                           "cudaStreamGetCaptureInfo_v2_ptsz_v11030", "cudaMemcpy_v3020"})
    EXPECT_TRUE(is_known_api(name)) << name;
  for (const char* name : {"cudaStreamSynchronizeAll_v15000", "cuNewWait", ""})
    EXPECT_FALSE(is_known_api(name)) << name;
}

// What the tracer asks CUPTI for: names with any suffix that the table knows.
TEST(ApiTable, HoldsWhatWaitsCopiesAllocatesAndLaunchesButNoCheapCall) {
  for (const char* name : {"cudaMemcpyAsync_ptsz_v7000", "cudaHostAlloc_v3020", "__cudaLaunchKernel_v13000",
                           "cudaLaunchKernelExC_v11060", "cudaGraphLaunch_v10000", "cuLaunchKernelEx",
                           "cudaEventQuery_v3020", "cuMemcpyBatchAsync_v2", "cudaStreamWaitEvent_v3020"})
    EXPECT_FALSE(find_api(name).name.empty()) << name;
  for (const char* name : {"cudaGetDevice_v3020", "cudaGetLastError_v3020", "cudaMallocAsync_v11020", "cuCtxGetCurrent",
                           "cudaStreamCreate_v3020", "cudaFuncGetAttributes_v3020", "cudaMemcpyxyz_v3020"})
    EXPECT_TRUE(find_api(name).name.empty()) << name;
}

TEST(ApiTable, HasEachNameOnceWithoutSuffixAndAsyncAsNamed) {
  std::set<std::string_view> seen;
  for (const ApiInfo& info : api_table()) {
    EXPECT_TRUE(seen.insert(info.name).second) << info.name;
    EXPECT_EQ(find_api(info.name).name, info.name);
    const bool moves_bytes = info.kind == ApiKind::copy || info.kind == ApiKind::memset;
    EXPECT_EQ(info.async, moves_bytes && info.name.ends_with("Async")) << info.name;
    EXPECT_EQ(info.kind == ApiKind::copy, info.direction != CopyDirection::none) << info.name;
  }
  EXPECT_GT(seen.size(), 100u);
}

TEST(ApiTable, CallsOfHipMeanWhatThoseOfCudaMean) {
  EXPECT_EQ(find_api("hipStreamSynchronize").kind, ApiKind::stream_sync);
  EXPECT_EQ(find_api("hipDeviceSynchronize").kind, ApiKind::device_sync);
  EXPECT_TRUE(find_api("hipMemcpyAsync").async);
  EXPECT_EQ(find_api("hipMemcpyDtoH").direction, CopyDirection::device_to_host);
  EXPECT_EQ(find_api("hipExtModuleLaunchKernel").kind, ApiKind::launch);
  EXPECT_EQ(find_api("hipMemcpyWithStream").kind, ApiKind::copy);
  EXPECT_FALSE(find_api("hipMemcpyWithStream").async);
  EXPECT_EQ(find_api("hipHostMalloc").kind, ApiKind::implicit);
}

TEST(ApiTable, KnowsCallsOfHipThatDoNotMatterAndThoseItHasNeverHeardOf) {
  EXPECT_TRUE(is_known_api("hipGetDevicePropertiesR0600"));
  EXPECT_TRUE(is_known_api("hipStreamIsCapturing"));
  EXPECT_FALSE(is_known_api("hipDoesNotExist"));
  EXPECT_FALSE(is_known_api("hippo"));
}

}  // namespace
}  // namespace zerostall
