// What the simulator says about itself: unsupported calls, read-backs without a real value.
#include <cuda.h>

#include <string>
#include <vector>

#include "profiler/simgpu/core/journal.h"
#include "tests/simgpu/device.h"

extern "C" void zerostall_sim_set_listener(void (*)(std::uint32_t, const char*, std::uint64_t));

namespace zerostall::testing {
namespace {

std::vector<std::string>* g_heard = nullptr;

struct SimBook : ::testing::Test {
  void SetUp() override {
    g_heard = &heard;
    zerostall_sim_set_listener([](std::uint32_t kind, const char* text, std::uint64_t value) {
      g_heard->push_back(std::to_string(kind) + " " + text + " " + std::to_string(value));
    });
  }
  void TearDown() override { zerostall_sim_set_listener(nullptr); }
  std::vector<std::string> heard;
};

TEST_F(SimBook, AnUnsupportedCallFailsAndIsNamedOnceOnStderr) {
  ::testing::internal::CaptureStderr();
  const cudaGraphicsResource_t none = nullptr;
  EXPECT_EQ(cudaGraphicsUnregisterResource(none), cudaErrorNotSupported);
  EXPECT_EQ(cudaGraphicsUnregisterResource(none), cudaErrorNotSupported);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("cudaGraphicsUnregisterResource is not supported"), std::string::npos) << said;
  EXPECT_EQ(said.find("cudaGraphicsUnregisterResource"), said.rfind("cudaGraphicsUnregisterResource")) << "once";
  EXPECT_EQ(heard,
            (std::vector<std::string>{"2 cudaGraphicsUnregisterResource 1", "2 cudaGraphicsUnregisterResource 1"}))
      << "every call is listed";
}

TEST_F(SimBook, TheDriverAnswersNotSupportedToo) {
  ::testing::internal::CaptureStderr();
  const CUgraphicsResource none = nullptr;
  EXPECT_EQ(cuGraphicsUnregisterResource(none), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("cuGraphicsUnregisterResource"), std::string::npos);
}

TEST_F(SimBook, ReadBacksOfWhatKernelsMayHaveWrittenAreReported) {
  void* p = nullptr;
  float value = 1;
  ASSERT_EQ(cudaMalloc(&p, 64), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(p, &value, 4, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_TRUE(heard.empty()) << "a copy put the value there";
  launch_for(1000);
  ASSERT_EQ(cudaMemcpyAsync(&value, p, 4, cudaMemcpyDeviceToHost, nullptr), cudaSuccess);
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(heard[0].find("3 cudaMemcpyAsync at thread test_simgpu, "), 0u) << heard[0];
  cudaFree(p);
}

TEST_F(SimBook, ErrorsHaveNames) {
  EXPECT_STREQ(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
}

}  // namespace
}  // namespace zerostall::testing
