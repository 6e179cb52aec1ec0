// Which form of a driver function is handed out: the one of the CUDA version that is asked for.
#include <cuda.h>
#include <dlfcn.h>

#include "tests/simgpu/device.h"

namespace zerostall::testing {
namespace {

void* exported(const char* name) { return dlsym(dlopen("libcuda.so.1", RTLD_NOW), name); }

void* by_driver(const char* name, int version, cuuint64_t flags = 0) {
  void* function = nullptr;
  CUdriverProcAddressQueryResult result;
  cuGetProcAddress_v2(name, &function, version, flags, &result);
  return function;
}

void* by_runtime(const char* name, unsigned version, unsigned long long flags = 0) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult result;
  EXPECT_EQ(cudaGetDriverEntryPointByVersion(name, &function, version, flags, &result), cudaSuccess);
  return function;
}

TEST(SimDriverForms, TheFormOfTheVersionAskedFor) {
  ASSERT_NE(exported("cuCtxCreate_v4"), nullptr);
  for (auto* ask : {+[](int version) { return by_driver("cuCtxCreate", version); },
                    +[](int version) { return by_runtime("cuCtxCreate", static_cast<unsigned>(version)); }}) {
    EXPECT_EQ(ask(3020), exported("cuCtxCreate_v2"));
    EXPECT_EQ(ask(12000), exported("cuCtxCreate_v3"));
    EXPECT_EQ(ask(12040), exported("cuCtxCreate_v3"));
    EXPECT_EQ(ask(12050), exported("cuCtxCreate_v4"));
    EXPECT_EQ(ask(13020), exported("cuCtxCreate_v4"));
  }
  EXPECT_EQ(by_driver("cuCtxGetDevice", 12080), exported("cuCtxGetDevice"));
  EXPECT_EQ(by_driver("cuCtxGetDevice", 13000), exported("cuCtxGetDevice_v2"));
  EXPECT_EQ(by_driver("cuMemAlloc", 12000), exported("cuMemAlloc_v2"));
}

TEST(SimDriverForms, AFormByItsOwnName) {
  EXPECT_EQ(by_driver("cuMemAlloc_v2", 12000), exported("cuMemAlloc_v2"));
  EXPECT_EQ(by_runtime("cuStreamBeginCapture_v2", 12000), exported("cuStreamBeginCapture_v2"));
}

TEST(SimDriverForms, TheFormForPerThreadStreams) {
  ASSERT_NE(exported("cuStreamQuery_ptsz"), nullptr);
  EXPECT_EQ(by_driver("cuStreamQuery", 12000), exported("cuStreamQuery"));
  EXPECT_EQ(by_driver("cuStreamQuery", 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM),
            exported("cuStreamQuery_ptsz"));
  EXPECT_EQ(by_runtime("cuStreamQuery", 12000, cudaEnablePerThreadDefaultStream), exported("cuStreamQuery_ptsz"));
  EXPECT_EQ(by_driver("cuInit", 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM), exported("cuInit"));
}

TEST(SimDriverForms, WhatTheVersionDoesNotKnow) {
  void* function = &function;
  CUdriverProcAddressQueryResult result;
  EXPECT_EQ(cuGetProcAddress_v2("cuMemcpyBatchAsync", &function, 12070, 0, &result), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(function, nullptr);
  EXPECT_EQ(result, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  EXPECT_EQ(cuGetProcAddress_v2("cuNoSuchFunction", &function, 13000, 0, &result), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(result, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  cudaDriverEntryPointQueryResult runtime_result;
  EXPECT_EQ(cudaGetDriverEntryPointByVersion("cuMemcpyBatchAsync", &function, 12070, 0, &runtime_result), cudaSuccess);
  EXPECT_EQ(runtime_result, cudaDriverEntryPointVersionNotSufficent);
}

}  // namespace
}  // namespace zerostall::testing
